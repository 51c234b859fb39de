/** What a column can hold. Events are facts: whatever they carry must fit, or a projection would stop for ever. */
export type ColumnKind = 'text' | 'integer' | 'bigint' | 'boolean' | 'time' | 'json';

const INT4_MAX = 2 ** 31 - 1;
/** The years 1 to 9999, in milliseconds: what RFC 3339 can say. */
const TIME_MS = { min: -62_135_596_800_000, max: 253_402_300_799_999 };

/** The value as its column can hold it: numbers within their bounds, times as text; what has no such form is null. */
export const fitting = (kind: ColumnKind, value: unknown): unknown => {
  if (value === undefined || value === null) return null;
  switch (kind) {
    case 'integer':
      return whole(value, INT4_MAX);
    case 'bigint':
      return whole(value, Number.MAX_SAFE_INTEGER);
    case 'time':
      return typeof value === 'number' && value >= TIME_MS.min && value <= TIME_MS.max
        ? timeText(value)
        : null;
    case 'text':
    case 'boolean':
    case 'json':
      return value;
  }
};

/** The newest second that was asked for: events that follow each other are of the same one, and its text is dear. */
const newest = { second: NaN, text: '' };

const timeText = (ms: number): string => {
  const date = Math.trunc(ms); // As a date has it.
  const second = Math.floor(date / 1_000);
  if (second !== newest.second) {
    newest.second = second;
    newest.text = new Date(second * 1_000).toISOString().slice(0, -4);
  }
  return `${newest.text}${String(date - second * 1_000).padStart(3, '0')}Z`;
};

const whole = (value: unknown, max: number): number | null =>
  typeof value === 'number' && !Number.isNaN(value)
    ? Math.trunc(Math.min(Math.max(value, -max), max))
    : null;

/** In JSON text: NUL, or half of a surrogate pair, each as an escape. */
const MAYBE_UNSTORABLE = /\\u(0000|d[89a-f])/i;
// eslint-disable-next-line no-control-regex -- NUL is exactly what is looked for.
const UNSTORABLE = /\u0000|\p{Surrogate}/gu;

/** JSON that Postgres can store: characters that its text cannot hold become U+FFFD. */
export const toStorableJson = (value: unknown): string => {
  const json = JSON.stringify(value);
  return MAYBE_UNSTORABLE.test(json) ? JSON.stringify(storable(value)) : json;
};

/** In text itself: NUL, or any half of a pair, since telling a lone one apart takes longer. */
// eslint-disable-next-line no-control-regex -- NUL is exactly what is looked for.
const MAYBE_UNSTORABLE_TEXT = /[\u0000\ud800-\udfff]/;

/** Text that Postgres can store: characters that it cannot hold become U+FFFD. */
export const storableText = (text: string): string =>
  MAYBE_UNSTORABLE_TEXT.test(text) ? text.replace(UNSTORABLE, '\uFFFD') : text;

const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [storable(key), storable(held)]),
  );
};
