import type { Page, TimelineEntryView } from '#contracts';
import { EXIT, VerbFailed, type ExitCode } from '../exit-codes.js';
import { table } from '../text.js';
import { printJson, type Verb } from '../verb.js';

/** The events of a run, as its stream holds them. */
export const timeline = (verb: Verb, runId: string): Promise<ExitCode> =>
  printTimeline(verb, pathOf(runId));

/** The events of what this path of the API stands for. */
export const printTimeline = async (verb: Verb, path: string): Promise<ExitCode> => {
  const { io, api } = verb;
  if (verb.json) {
    printJson(io, await api.get<Page<TimelineEntryView>>(path));
    return EXIT.done;
  }
  const entries = await allEntries(verb, path);
  io.out.write(
    table(
      ['SEQ', 'WHEN', 'EVENT', 'BY', 'DATA'],
      entries.map((entry) => [
        String(entry.sequence),
        entry.at,
        entry.type,
        entry.actor,
        dataOf(entry),
      ]),
    ),
  );
  return EXIT.done;
};

/** What an operator decided about an unknown outcome. */
export interface Decision {
  readonly actor: string;
  readonly note: string;
}

/**
 * Who settled a run by a decision, and why; its row has only that somebody did. Undefined where no decision is recorded,
 * or where the timeline can't be read: the run is worth showing without it.
 */
export const decisionOn = async (verb: Verb, runId: string): Promise<Decision | undefined> => {
  try {
    return decisionIn(await allEntries(verb, pathOf(runId)));
  } catch (error) {
    if (!(error instanceof VerbFailed)) throw error;
    verb.io.err.write(`who decided, and why, can not be read now: ${error.message}\n`);
    return undefined;
  }
};

/** The first settlement stands: there is one at most. */
export const decisionIn = (entries: readonly TimelineEntryView[]): Decision | undefined => {
  const resolved = entries.find(({ type }) => type === 'RunResolved');
  if (resolved === undefined) return undefined;
  const { note } = resolved.data;
  return { actor: resolved.actor, note: typeof note === 'string' ? note : '' };
};

const pathOf = (runId: string): string => `/v1/runs/${encodeURIComponent(runId)}/timeline`;

const allEntries = async ({ api }: Verb, path: string): Promise<readonly TimelineEntryView[]> => {
  let page = await api.get<Page<TimelineEntryView>>(path);
  const entries = [...page.items];
  while (page.nextCursor !== null) {
    page = await api.get<Page<TimelineEntryView>>(`${path}?after=${page.nextCursor}`);
    entries.push(...page.items);
  }
  return entries;
};

/** What every event of a run or spawn carries, and the columns beside it say. */
const SAID_ELSEWHERE = ['runId', 'spawnId', 'at'];
const DATA_SHOWN_MAX = 120;
const dataOf = ({ data }: TimelineEntryView): string => {
  const rest = Object.entries(data).filter(([name]) => !SAID_ELSEWHERE.includes(name));
  return rest
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
    .slice(0, DATA_SHOWN_MAX);
};
