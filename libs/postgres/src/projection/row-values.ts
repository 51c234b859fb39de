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
        ? new Date(value).toISOString()
        : null;
    case 'text':
    case 'boolean':
    case 'json':
      return value;
  }
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

const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(UNSTORABLE, '\uFFFD');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [storable(key), storable(held)]),
  );
};
