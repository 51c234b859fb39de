import { allCompleted } from './lib/check.mjs';
import { commitsIn } from './lib/stream-times.mjs';

const RUNS = 20;

/**
 * What a short run costs the broker, counted from its streams: events and frames.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const commits = async ({ system, submit, ledger }) => {
  const plain = await commitsPerRun(system, () => submit());
  ledger.add(
    'commits.plain',
    { ...MEANING, what: 'commits of a short run', goal: { atMost: 5 } },
    { numerator: plain, denominator: 1 },
  );
  const since = new Date();
  const session = await submit();
  await allCompleted(system, [session], since);
  const named = await commitsPerRun(system, () => submit(session));
  ledger.add(
    'commits.session',
    { ...MEANING, what: 'commits of a short run in an idle named session', goal: { atMost: 6 } },
    { numerator: named, denominator: 1 },
  );
};

const MEANING = { unit: 'commits', of: '', against: 'counted from the streams' };

/** One at a time, so that nothing is in anybody's way. @param {import('./lib/stack.mjs').System} system @param {() => Promise<string>} submit */
const commitsPerRun = async (system, submit) => {
  const before = await commitsIn(system);
  for (let run = 0; run < RUNS; run += 1) {
    const since = new Date();
    const runId = await submit();
    await allCompleted(system, [runId], since);
  }
  const after = await commitsIn(system);
  return (after.events + after.frames - before.events - before.frames) / RUNS;
};
