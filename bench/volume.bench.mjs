import { allCompleted, checksum } from './lib/check.mjs';
import { memoryOf } from './lib/memory.mjs';
import { foldedRuns } from './lib/folded-runs.mjs';
import { timed } from './lib/timing.mjs';

const AT_ONCE = 64;
/** After how many runs the memory is looked at first. */
const FIRST = 1_000;
/** Submitted at a time: what is behind them is over before the next come, so that no queue is measured as growth. */
const PORTION = 5_000;

/**
 * Many runs through one system: what they leave in the memory of its processes, and whether the ledger outside, the
 * events and the rows say the same of every one of them.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const volume = async ({ system, submit, ledger, runs }) => {
  /** @type {string[]} */
  const accepted = [];
  const since = new Date();
  const through = async (/** @type {number} */ until) => {
    await timed(until - accepted.length, AT_ONCE, async () => accepted.push(await submit()));
    await allCompleted(system, accepted, since);
  };
  await through(Math.min(FIRST, runs));
  const before = await memoryOf(system);
  const from = performance.now();
  while (accepted.length < runs) {
    await through(Math.min(accepted.length + PORTION, runs));
    console.error(`  ${accepted.length} of ${runs} runs`);
  }
  const rate = ((runs - Math.min(FIRST, runs)) * 1_000) / (performance.now() - from);
  const after = await memoryOf(system);
  await compare(system, accepted);

  for (const [name, megabytes] of after)
    ledger.add(
      `memory.${name}`,
      { what: `memory of ${name}`, of: 'MB', against: `after ${FIRST} runs`, goal: null },
      { numerator: megabytes, denominator: before.get(name) ?? Number.NaN },
    );
  const [, most] = [...after].reduce(([worst, ratio], [name, megabytes]) => {
    const grown = megabytes / (before.get(name) ?? Number.NaN);
    return grown > ratio ? [name, grown] : [worst, ratio];
  }, /** @type {[string, number]} */ (['', 0]));
  ledger.add(
    'memory.growth',
    {
      what: `memory after ${runs} runs, of the process that grew most`,
      of: 'of what it was',
      against: `after ${FIRST} runs`,
      goal: { atMost: 1.3 },
    },
    { numerator: most, denominator: 1 },
  );
  ledger.add(
    'volume.rate',
    {
      what: `runs completed and in the rows, over ${runs}`,
      unit: '/s',
      of: '/s',
      against: 'ledger, events and rows say the same of each',
      goal: null,
    },
    { numerator: rate, denominator: 1 },
  );
};

/** Four accounts of the same runs. @param {import('./lib/stack.mjs').System} system @param {readonly string[]} accepted */
const compare = async (system, accepted) => {
  const expected = checksum(accepted);
  const ours = new Set(accepted);
  const begun = (await system.node.begun()).filter((id) => ours.has(id));
  const folded = (await foldedRuns(system)).filter(({ id }) => ours.has(id));
  const { rows } = await system.database.query('SELECT run_id AS id, status FROM run_view');
  const shown = rows.filter(({ id }) => ours.has(id));
  for (const [what, ids] of /** @type {const} */ ([
    ['the ledger of what began', begun],
    ['the events', folded.filter(isCompleted).map(({ id }) => id)],
    ['the rows', shown.filter(isCompleted).map(({ id }) => id)],
  ]))
    if (ids.length !== accepted.length || checksum(ids) !== expected)
      throw new Error(`void: ${what}: ${ids.length} runs are not the ${accepted.length} accepted`);
  console.error(
    `  ${accepted.length} accepted = begun = completed by events = in the rows: ${expected}`,
  );
};

/** @param {{ status: string }} run */
const isCompleted = ({ status }) => status === 'completed';
