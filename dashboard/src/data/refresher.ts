import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Makes what is shown read itself again: at once, and then no more often than its pace. It never asks anew while the last
 * answer is still on its way, so that a slow server is not asked faster than it answers, and what changed meanwhile is
 * read after it.
 */
export class Refresher {
  readonly #pending = new Map<string, QueryKey>();
  #isBusy = false;

  /** @param paceMs the shortest time between two readings, ms. */
  constructor(
    private readonly queries: Pick<QueryClient, 'invalidateQueries'>,
    private readonly paceMs: number,
  ) {}

  ask(...keys: readonly QueryKey[]): void {
    for (const key of keys) this.#pending.set(JSON.stringify(key), key);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#pending.size > 0) {
      const keys = [...this.#pending.values()];
      this.#pending.clear();
      // What fails shows itself as an error where it is used.
      await Promise.allSettled(
        keys.map((queryKey) => this.queries.invalidateQueries({ queryKey })),
      );
      await new Promise((resolve) => setTimeout(resolve, this.paceMs));
    }
    this.#isBusy = false;
  }
}
