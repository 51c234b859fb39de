import type { Io, Sink } from './io.js';

const COLOURS = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  grey: 90,
} as const;
type Colour = keyof typeof COLOURS;

/** What each status looks like on a terminal: red asks for attention, yellow is on its way. */
const COLOUR_OF: Readonly<Record<string, Colour>> = {
  queued: 'grey',
  dispatched: 'yellow',
  running: 'cyan',
  stopping: 'yellow',
  unknown: 'magenta',
  completed: 'green',
  failed: 'red',
  stopped: 'blue',
  abandoned: 'red',
  alive: 'green',
  silent: 'red',
  unclear: 'yellow',
  proven: 'green',
  pending: 'yellow',
};

export const colours = (io: Io, sink: Sink): boolean =>
  sink.isTerminal && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';

export const paint = (text: string, colour: Colour, on: boolean): string =>
  on ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;

export const paintStatus = (status: string, on: boolean): string => {
  const colour = COLOUR_OF[status];
  return colour === undefined ? status : paint(status, colour, on);
};

/** Text of others, safe for a terminal: control characters could move the cursor or forge a line. */
export const plain = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '·');

const SHOWN_MAX = 200;
/** The beginning of a text that others wrote, on one line. */
export const shortened = (text: string): string =>
  text.length <= SHOWN_MAX
    ? plain(text)
    : `${plain(text.slice(0, SHOWN_MAX))}… (${text.length} characters)`;

/** How long ago, in one unit: `4 s ago`. */
export const ago = (time: string | null, nowMs: number): string =>
  time === null ? '–' : `${duration(nowMs - Date.parse(time))} ago`;

/** The same with the moment itself; null for what has not happened. */
export const when = (time: string | null, nowMs: number): string | null =>
  time === null ? null : `${ago(time, nowMs)}  (${time})`;

/** A span of time in its largest fitting unit. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
};

export const bytes = (count: number): string => {
  if (count < 1_024) return `${count} B`;
  if (count < 1_048_576) return `${(count / 1_024).toFixed(1)} KiB`;
  return `${(count / 1_048_576).toFixed(1)} MiB`;
};

/** A cell, and how to colour it once it is padded (colour codes take no room). */
export interface Cell {
  readonly text: string;
  readonly paint?: (padded: string) => string;
}

/** Columns as wide as their widest cell, two spaces between them, no trailing spaces. */
export const table = (
  heads: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
): string => {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell)),
  );
  const safe = cells.map((row) => row.map((cell) => ({ ...cell, text: plain(cell.text) })));
  const widths = heads.map((head, column) =>
    Math.max(width(head), ...safe.map((row) => width(row[column]?.text ?? ''))),
  );
  const line = (row: readonly Cell[]): string =>
    row
      .map((cell, column) => {
        const isLast = column === row.length - 1;
        const filled = isLast ? cell.text : pad(cell.text, widths[column] ?? 0);
        return cell.paint ? cell.paint(filled) : filled;
      })
      .join('  ')
      .trimEnd();
  return [line(heads.map((text) => ({ text }))), ...safe.map(line)]
    .map((text) => `${text}\n`)
    .join('');
};

/** `name  value` lines, aligned; values that are null are left out. */
export const fields = (entries: readonly (readonly [string, string | null])[]): string => {
  const shown = entries.flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  const widest = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(widest)}  ${value}\n`).join('');
};

/** What a character takes on a terminal: East Asian wide ones and emoji two columns, combining ones none. */
const width = (text: string): number =>
  Array.from(text).reduce((sum, character) => {
    if (/\p{Mark}/u.test(character)) return sum;
    return (
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1)
    );
  }, 0);

const pad = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - width(text)));
