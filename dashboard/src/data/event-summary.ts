import { size } from './words.js';

/** What people look for in an event, in the order in which they would tell it; all of it stands below. */
const TOLD = [
  'as',
  'to',
  'code',
  'reason',
  'note',
  'evidence',
  'proof',
  'exitCode',
  'output',
  'generation',
  'round',
  'kind',
  'attempt',
  'fenced',
  'settledBy',
  'receipts',
  'startBefore',
  'agent',
  'agentName',
  'harness',
  'node',
  'nodeName',
] as const;

/** One line on what an event says. Pure. */
export const summaryOf = (data: Readonly<Record<string, unknown>>): string => {
  const told = TOLD.flatMap((name) => {
    const words = wordsOf(data[name]);
    return words === null ? [] : [`${name} ${words}`];
  });
  const summary = told.join(' · ');
  if (summary === '') return 'details';
  return summary.length > SUMMARY_MAX ? `${summary.slice(0, SUMMARY_MAX)}…` : summary;
};

/** In characters: two lines, or three on a narrow screen. */
const SUMMARY_MAX = 120;

/** No count or size in an event is as large as a moment in ms: these are times. */
const FIRST_MOMENT_MS = Date.UTC(2020);

/** Null for what says nothing. */
const wordsOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return value < FIRST_MOMENT_MS ? String(value) : new Date(value).toLocaleTimeString();
  if (typeof value !== 'object' || value === null) return null;
  if ('bytes' in value && typeof value.bytes === 'number') return size(value.bytes);
  if ('reason' in value && typeof value.reason === 'string') return value.reason;
  const names = Object.keys(value);
  return names.length === 0 ? null : names.join(', ');
};
