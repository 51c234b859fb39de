import { describe, expect, it } from '@jest/globals';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { waitUntil } from '#testing';
import { Refresher } from './refresher.js';

/** A page whose readings end when a test says so. */
class Page {
  readonly read: QueryKey[] = [];
  readonly #ends: (() => void)[] = [];

  readonly queries = {
    invalidateQueries: ({ queryKey }: { queryKey: QueryKey }) => {
      this.read.push(queryKey);
      return new Promise<void>((end) => this.#ends.push(end));
    },
  } as unknown as Pick<QueryClient, 'invalidateQueries'>;

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

describe('what is shown, when it changes', () => {
  it('is read again at once', () => {
    const page = new Page();
    new Refresher(page.queries, 0).ask(['runs'], ['run', 'a']);
    expect(page.read).toEqual([['runs'], ['run', 'a']]);
  });

  it('is read once more after a reading during which it changed, and once only', async () => {
    const page = new Page();
    const refresher = new Refresher(page.queries, 0);
    refresher.ask(['runs']);
    for (let changes = 0; changes < 100; changes += 1) refresher.ask(['runs']);
    expect(page.read).toEqual([['runs']]);
    page.end();
    await waitUntil('the second reading', () => page.read.length > 1);
    page.end();
    refresher.ask(['nodes']);
    await waitUntil('what changed last', () => page.read.length > 2);
    expect(page.read).toEqual([['runs'], ['runs'], ['nodes']]);
  });

  it('is read again though a reading failed', async () => {
    const read: QueryKey[] = [];
    const queries = {
      invalidateQueries: async ({ queryKey }: { queryKey: QueryKey }) => {
        read.push(queryKey);
        throw new Error('away');
      },
    } as unknown as Pick<QueryClient, 'invalidateQueries'>;
    const refresher = new Refresher(queries, 0);
    refresher.ask(['runs']);
    refresher.ask(['runs']);
    await waitUntil('the second reading', () => read.length === 2);
  });
});
