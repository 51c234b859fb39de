import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';

/** Appends that are measured, after as many again to warm up; and how many are under way at a time. */
const APPENDS = 2_000;
const AT_ONCE = 16;

/** @param {(index: number) => Promise<unknown>} act @returns {Promise<number>} a second */
const rateOf = async (act) => {
  let next = 0;
  const one = async () => {
    while (next < APPENDS) await act(next++);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return (APPENDS * 1_000) / (performance.now() - from);
};

/**
 * What the event store adds to a publish: two headers, a hash, and the compare-and-set.
 *
 * @param {import('./lib/stack.mjs').System} system
 * @returns {Promise<readonly import('./lib/figures.mjs').Figure[]>}
 */
export const append = async ({ store, link }) => {
  const client = jetstream(link.connection);
  const data = { text: 'x'.repeat(400) };
  const ours = () =>
    store.append({
      ref: { aggregate: 'bench', workspace: '_', id: randomUUID() },
      expected: 0,
      commandId: 'bench',
      events: [{ type: 'Benched', data }],
      metadata: { command: 'Bench', actor: 'service:bench' },
    });
  // A stream of its own: what is no commit stops every projection of the event stream.
  const manager = await jetstreamManager(link.connection);
  await manager.streams.add({ name: 'BENCH', subjects: ['bench.>'] });
  const plain = () => client.publish(`bench.${randomUUID()}`, JSON.stringify([data]));
  await rateOf(plain);
  await rateOf(ours);
  const [reference, value] = [await rateOf(plain), await rateOf(ours)];
  return [
    { what: 'appends, 16 at once', value, unit: '/s', against: 'plain publishes', reference },
  ];
};
