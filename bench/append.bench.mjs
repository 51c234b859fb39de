import { randomUUID } from 'node:crypto';
import { timed } from './lib/timing.mjs';

const APPENDS = 2_000;
const AT_ONCE = 64;

/**
 * What the event store adds to a publish: its headers, a hash, and its care for answers that get lost.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const append = async ({ system, raw, ledger }) => {
  const publish = await timed(APPENDS, AT_ONCE, raw.publish);
  const data = { text: 'x'.repeat(400) };
  const ours = await timed(APPENDS, AT_ONCE, () =>
    system.store.append({
      ref: { aggregate: 'bench', workspace: '_', id: randomUUID() },
      expected: 0,
      commandId: 'bench',
      events: [{ type: 'Benched', data }],
      metadata: { command: 'Bench', actor: 'service:bench' },
    }),
  );
  ledger.add(
    'append.rate',
    { what: 'appends, 64 in flight', of: '/s', against: 'plain publishes', goal: null },
    { numerator: ours.rate, denominator: publish.rate },
  );
};
