import type { Page, RunView, SpawnView, UnknownItemView } from '#contracts';
import { PAGE_SIZE, type PageQuery } from '#contracts/requests';
import { cursorRefused } from '#postgres';

/** Which part of a list is asked for. */
export type PageWindow = Readonly<Pick<PageQuery, keyof PageQuery>>;

/** The two lists that are shown as one. Each knows its own cursors, and refuses those of others. */
export interface UnknownLists {
  readonly spawns: (window: PageWindow) => Promise<Page<SpawnView>>;
  readonly runs: (window: PageWindow) => Promise<Page<RunView>>;
}

/**
 * One page of all that waits for an operator: spawns first, since each of them holds a place on a node, then runs.
 *
 * A cursor is the letter of a list and that list's own cursor; the letter of the runs alone is where they begin.
 *
 * @throws RuleViolation `invalid_request` when the cursor is not one of this list.
 */
export const pageOfUnknowns = async (
  { spawns, runs }: UnknownLists,
  { limit = PAGE_SIZE.default, cursor }: PageWindow,
): Promise<Page<UnknownItemView>> => {
  const from = placeOf(cursor);
  if (from.list === RUNS) return of(RUNS, await runs({ limit, ...from.window }));
  const first = await spawns({ limit, ...from.window });
  if (first.nextCursor !== null) return of(SPAWNS, first);
  const room = limit - first.items.length;
  if (room === 0) {
    const { items } = await runs({ limit: 1 }); // Nobody is sent to an empty page.
    return { items: first.items, nextCursor: items.length === 0 ? null : RUNS };
  }
  const rest = of(RUNS, await runs({ limit: room }));
  return { ...rest, items: [...first.items, ...rest.items] };
};

const SPAWNS = 's';
const RUNS = 'r';

interface Place {
  readonly list: typeof SPAWNS | typeof RUNS;
  readonly window: Pick<PageWindow, 'cursor'>;
}

const placeOf = (cursor: string | undefined): Place => {
  if (cursor === undefined) return { list: SPAWNS, window: {} };
  if (cursor === RUNS) return { list: RUNS, window: {} };
  const [list, own] = [cursor.slice(0, 1), cursor.slice(1)];
  if ((list !== SPAWNS && list !== RUNS) || own === '') throw cursorRefused();
  return { list, window: { cursor: own } };
};

/** A page of one list as a page of both. */
const of = <Item>(list: Place['list'], { items, nextCursor }: Page<Item>): Page<Item> => ({
  items,
  nextCursor: nextCursor === null ? null : `${list}${nextCursor}`,
});
