import { RuleViolation } from '#kernel';

/** Where a page ended, in the order of its list. */
export type CursorPart = string | number;

/** An opaque text that leads to the items after `parts`, which are the sort key of the last one that was shown. */
export const encodeCursor = (parts: readonly CursorPart[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/**
 * The sort key that a cursor holds; undefined without a cursor.
 *
 * @param kinds what its parts must be: a cursor comes back from a caller, and may be anything.
 * @throws RuleViolation `invalid_request` when it is not one of this list's.
 */
export const decodeCursor = <const Kinds extends readonly ('string' | 'number')[]>(
  cursor: string | undefined,
  kinds: Kinds,
): PartsOf<Kinds> | undefined => {
  if (cursor === undefined) return undefined;
  const parts = parsed(cursor);
  const fits =
    Array.isArray(parts) &&
    parts.length === kinds.length &&
    kinds.every((kind, index) => isPart(parts[index], kind));
  if (!fits) throw cursorRefused();
  return parts as unknown as PartsOf<Kinds>;
};

/** What is answered to a cursor that the list never gave. */
export const cursorRefused = (): RuleViolation =>
  new RuleViolation(
    'invalid_request',
    { errors: [{ path: 'cursor', problem: 'cursor must be the nextCursor of another page' }] },
    'the cursor is not one of this list',
  );

type PartsOf<Kinds extends readonly ('string' | 'number')[]> = {
  readonly [Index in keyof Kinds]: Kinds[Index] extends 'string' ? string : number;
};

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** The year 9999, in milliseconds. */
const TIME_MS_MAX = 253_402_300_799_999;

/** A number must be one that a time or a sequence can be; a text one that Postgres can compare with. */
const isPart = (part: unknown, kind: 'string' | 'number'): boolean =>
  kind === 'number'
    ? Number.isSafeInteger(part) && (part as number) >= 0 && (part as number) <= TIME_MS_MAX
    : typeof part === 'string' && !part.includes('\0');

/**
 * One page out of up to `limit + 1` found items: the extra one only shows that there are more.
 *
 * @param keyOf the sort key of an item, as the cursor keeps it.
 */
export const pageOf = <Item>(
  found: readonly Item[],
  limit: number,
  keyOf: (item: Item) => readonly CursorPart[],
): { readonly items: readonly Item[]; readonly nextCursor: string | null } => {
  const items = found.slice(0, limit);
  const last = items[items.length - 1];
  const hasMore = found.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? encodeCursor(keyOf(last)) : null };
};
