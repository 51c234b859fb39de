import { setTimeout as pause } from 'node:timers/promises';
import type { Commit } from '#event-store';
import { isSettled } from '#runs/contract';
import { waitUntil } from '#testing/wait-until';
import { runsOf } from '../support/stream.js';
import { accountOf, type Account, type Evidence } from './account.js';
import type { Cluster } from './cluster.js';
import { untilWhole, type ClusterFault, type FaultWindows, type Struck } from './faults.js';
import type { Load } from './load.js';

/** What a fault cost, ms. */
export interface FaultFigures extends Struck {
  readonly fault: string;
  /** How long it lasted. */
  readonly heldMs: number;
  /** From its end until everything submitted before was settled, new runs had ended on both nodes, and all copies and processes were back. */
  readonly recoveredMs: number;
  /** The longest time in which nothing was accepted, from the fault to the recovery. */
  readonly acceptGapMs: number;
  /** The longest time in which no run ended. */
  readonly endGapMs: number;
  /** The most that the read models were behind the stream. */
  readonly rowsBehindMs: number;
  /** Runs that became unknown, and the longest time from the fault to that. */
  readonly unknown: number;
  readonly unknownAfterMs: number;
}

/** Source: an election of 7.6 s, a lease, a redelivery and an ask, many times over: a bound for what hangs, no goal. */
const RECOVER_MAX_MS = 90_000;

/** Inflicts a fault under load and waits until nothing of it is left. */
export const prove = async (
  cluster: Cluster,
  load: Load,
  fault: ClusterFault,
  windows: FaultWindows,
): Promise<FaultFigures> => {
  const rows = watchRows(cluster);
  const struck = await fault.inflict(cluster, windows);
  await untilWhole(cluster, RECOVER_MAX_MS);
  await untilSettled(cluster, load, struck.backAt);
  const recoveredAt = Date.now();
  const { struckAt, backAt } = struck;
  const commits = await allCommits(cluster);
  const within = (at: number): boolean => at >= struckAt && at <= recoveredAt;
  const of = (...types: readonly string[]): readonly number[] =>
    commits
      .filter(({ events }) => events.some(({ type }) => types.includes(type)))
      .map(({ storedAt }) => storedAt)
      .filter(within);
  const unknowns = of('RunOutcomeUnknown');
  const accepted = load.submissions.flatMap(({ acceptedAt }) => acceptedAt ?? []).filter(within);
  return {
    ...struck,
    fault: fault.name,
    heldMs: backAt - struckAt,
    recoveredMs: recoveredAt - backAt,
    acceptGapMs: longestGap(struckAt, accepted, recoveredAt),
    endGapMs: longestGap(struckAt, of('RunCompleted'), recoveredAt),
    rowsBehindMs: await rows.stop(),
    unknown: unknowns.length,
    unknownAfterMs: Math.max(0, ...unknowns.map((at) => at - struckAt)),
  };
};

/** Between two looks at the read models' lag, ms. */
const ROWS_LOOK_MS = 500;

/** Remembers the most that the read models were behind. */
const watchRows = (cluster: Cluster): { stop(): Promise<number> } => {
  const ending = new AbortController();
  let most = 0;
  const watching = (async () => {
    while (!ending.signal.aborted) {
      most = Math.max(most, (await cluster.rowsBehindMs()) ?? 0);
      await pause(ROWS_LOOK_MS);
    }
  })();
  return {
    stop: async () => {
      ending.abort();
      await watching;
      return most;
    },
  };
};

/** Everything submitted until then is accepted and settled, and so is a run on each node that was submitted later. */
const untilSettled = async (cluster: Cluster, load: Load, until: number): Promise<void> => {
  await waitUntil(
    'runs to be settled, old ones and new ones on both nodes',
    async () => {
      const runs = runsOf(await allCommits(cluster));
      const isOver = (runIds: readonly string[]): boolean =>
        runIds.length > 0 && runIds.every((id) => isSettled(runs.get(id)?.status ?? 'none'));
      const before = load.submissions.filter(({ submittedAt }) => submittedAt <= until);
      const after = load.submissions.filter(({ submittedAt }) => submittedAt > until);
      const freshAgents = new Set(
        after.filter(({ runIds }) => isOver(runIds)).map(({ agent }) => agent),
      );
      return freshAgents.size === 2 && before.every(({ runIds }) => isOver(runIds));
    },
    RECOVER_MAX_MS,
  );
};

/** Ends the load, waits for all of it, and gives account. */
export const settle = async (
  cluster: Cluster,
  load: Load,
): Promise<{ readonly evidence: Evidence; readonly account: Account }> => {
  await load.stop();
  await waitUntil(
    'every accepted run to be settled',
    async () => {
      const runs = runsOf(await allCommits(cluster));
      return load.submissions.every(({ runIds }) =>
        runIds.every((id) => isSettled(runs.get(id)?.status ?? 'none')),
      );
    },
    RECOVER_MAX_MS,
  );
  const evidence = {
    submissions: load.submissions,
    ledger: await cluster.ledger(),
    commits: await allCommits(cluster),
  };
  return { evidence, account: accountOf(evidence) };
};

/** What can't be read now is read at the next look. */
const allCommits = (cluster: Cluster): Promise<readonly Commit[]> =>
  waitUntil(
    'the stream to be read',
    // eslint-disable-next-line holdfast/no-silent-catch -- the wait is bounded, and says what it waited for.
    () => cluster.stream.allAnew().catch(() => undefined),
    RECOVER_MAX_MS,
  );

const longestGap = (from: number, moments: readonly number[], to: number): number => {
  const all = [from, ...[...moments].sort((one, other) => one - other), to];
  return Math.max(...all.slice(1).map((at, index) => at - (all[index] ?? at)));
};

/** An account in lines, with everything that is wrong. */
export const lines = ({ lost, doubled, broken, ...counts }: Account): string =>
  [
    ...Object.entries(counts).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    `lost: ${String(lost.length)}`,
    ...lost,
    `doubled: ${String(doubled.length)}`,
    ...doubled,
    `broken chains: ${String(broken.length)}`,
    ...broken,
  ].join('\n');

/** The figures of a proof in seconds, one line for each fault. */
export const table = (figures: readonly FaultFigures[]): string => {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const head = [
    'fault',
    'lasted',
    'recovered',
    'none accepted',
    'none ended',
    'rows behind',
    'unknown',
    'after',
    'victim',
  ];
  const rows = figures.map((one) => [
    one.fault,
    ...[one.heldMs, one.recoveredMs, one.acceptGapMs, one.endGapMs, one.rowsBehindMs].map(seconds),
    String(one.unknown),
    one.unknown === 0 ? '' : seconds(one.unknownAfterMs),
    one.victim,
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
