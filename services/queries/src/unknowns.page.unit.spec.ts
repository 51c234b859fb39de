import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Page, RunView, SpawnView, UnknownItemView } from '#contracts';
import { PageQuery, validate } from '#contracts/requests';
import { RuleViolation } from '#kernel';
import { pageOfUnknowns, type PageWindow } from './unknowns.page.js';

/** A list of these, whose cursors are the place of the next one; it notes how it was asked. */
const listOf = <Item>(items: readonly Item[], asked: PageWindow[] = []) => {
  return (window: PageWindow): Promise<Page<Item>> => {
    asked.push(window);
    const from = Number(window.cursor ?? 0);
    const to = from + window.limit!;
    const nextCursor = to < items.length ? String(to) : null;
    return Promise.resolve({ items: items.slice(from, to), nextCursor });
  };
};
const spawns = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ spawnId: `spawn-${at + 1}` }) as SpawnView);
const runs = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ runId: `run-${at + 1}` }) as RunView);
const idOf = (item: UnknownItemView): string => ('spawnId' in item ? item.spawnId : item.runId);

const given = (lists: { readonly spawns: number; readonly runs: number }) => {
  const both = { spawns: listOf(spawns(lists.spawns)), runs: listOf(runs(lists.runs)) };
  return async (window: PageWindow) => {
    const { items, nextCursor } = await pageOfUnknowns(both, window);
    return [items.map(idOf), nextCursor];
  };
};

describe('the list of all that is unknown', () => {
  it('has its spawns before its runs, on one page while there is room', async () => {
    const page = given({ spawns: 2, runs: 2 });
    expect(await page({})).toEqual([['spawn-1', 'spawn-2', 'run-1', 'run-2'], null]);
  });

  it('goes on in the list in which a page ended, over the border between them', async () => {
    const page = given({ spawns: 3, runs: 3 });
    expect(await page({ limit: 2 })).toEqual([['spawn-1', 'spawn-2'], 's2']);
    expect(await page({ limit: 2, cursor: 's2' })).toEqual([['spawn-3', 'run-1'], 'r1']);
    expect(await page({ limit: 2, cursor: 'r1' })).toEqual([['run-2', 'run-3'], null]);
  });

  it('goes on at the first run when the spawns fill a page exactly, and only when there is one', async () => {
    expect(await given({ spawns: 2, runs: 1 })({ limit: 2 })).toEqual([
      ['spawn-1', 'spawn-2'],
      'r',
    ]);
    expect(await given({ spawns: 2, runs: 1 })({ limit: 2, cursor: 'r' })).toEqual([
      ['run-1'],
      null,
    ]);
    expect(await given({ spawns: 2, runs: 0 })({ limit: 2 })).toEqual([
      ['spawn-1', 'spawn-2'],
      null,
    ]);
  });

  it('may have nothing of one, or of both', async () => {
    expect(await given({ spawns: 0, runs: 2 })({ limit: 1 })).toEqual([['run-1'], 'r1']);
    expect(await given({ spawns: 1, runs: 0 })({ limit: 2 })).toEqual([['spawn-1'], null]);
    expect(await given({ spawns: 0, runs: 0 })({ limit: 2 })).toEqual([[], null]);
  });

  it('does not ask for spawns again once they are through', async () => {
    const asked: PageWindow[] = [];
    const both = { spawns: listOf(spawns(2), asked), runs: listOf(runs(2)) };
    await pageOfUnknowns(both, { limit: 1, cursor: 'r' });
    await pageOfUnknowns(both, { limit: 1, cursor: 'r1' });
    expect(asked).toEqual([]);
  });

  it('shows each once, in order, whatever the size of its pages, by cursors that the API takes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat(7),
        fc.nat(7),
        fc.integer({ min: 1, max: 9 }),
        async (ofSpawns, ofRuns, limit) => {
          const both = { spawns: listOf(spawns(ofSpawns)), runs: listOf(runs(ofRuns)) };
          const seen: string[] = [];
          let cursor: string | null = null;
          do {
            const window: PageWindow = { limit, ...(cursor === null ? {} : { cursor }) };
            expect(validate(PageQuery, window)).toMatchObject({ ok: true });
            const page: Page<UnknownItemView> = await pageOfUnknowns(both, window);
            expect(page.items.length).toBeLessThanOrEqual(limit);
            if (cursor !== null) expect(page.items).not.toEqual([]);
            seen.push(...page.items.map(idOf));
            cursor = page.nextCursor;
          } while (cursor !== null);
          expect(seen).toEqual([...spawns(ofSpawns), ...runs(ofRuns)].map(idOf));
        },
      ),
    ));

  it.each(['', 's', 'x', 'WzFd', 'R', 'S2', '2'])(
    'refuses %j, which is no cursor of it',
    async (cursor) => {
      const page = pageOfUnknowns({ spawns: listOf(spawns(1)), runs: listOf(runs(1)) }, { cursor });
      await expect(page).rejects.toBeInstanceOf(RuleViolation);
      await expect(page).rejects.toMatchObject({
        code: 'invalid_request',
        details: {
          errors: [{ path: 'cursor', problem: 'cursor must be the nextCursor of another page' }],
        },
      });
    },
  );
});
