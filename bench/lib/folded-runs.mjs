import { RUN } from '#runs/domain';

const BATCH = 500;

/**
 * Every run as its own events make it, by the function that decides with them.
 *
 * @param {import('./stack.mjs').System} system
 * @returns {Promise<readonly { id: string, status: string }[]>}
 */
export const foldedRuns = async ({ feed, store }) => {
  const end = await store.end();
  const stop = new AbortController();
  /** @type {Map<string, import('#runs/domain').RunState>} */
  const runs = new Map();
  const batches = feed.follow({ after: 0, batchMax: BATCH, lingerMs: 1, signal: stop.signal });
  for await (const batch of batches) {
    for (const { ref, events } of batch) {
      if (ref.aggregate !== 'run') continue;
      const before = runs.get(ref.id) ?? RUN.initialState(ref.id);
      const after = /** @type {readonly import('#runs/domain').RunEvent[]} */ (events).reduce(
        (state, event) => RUN.evolve(state, event),
        before,
      );
      runs.set(ref.id, after);
    }
    if ((batch.at(-1)?.revision ?? 0) >= end) break;
  }
  stop.abort();
  return [...runs].map(([id, { status }]) => ({ id, status }));
};
