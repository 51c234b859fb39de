import { findAllWork } from '#execution/process';
import { isSettled } from '#runs/contract';
import { isOver, type RunEvent } from '#runs/domain';
import type { Page, RunView } from '#contracts';
import type { Commit } from '#event-store';
import { waitUntil } from '#testing/wait-until';
import type { Fixture } from './fixture.js';
import {
  brokenChains,
  changedAfterSettlement,
  crowdedSessions,
  runsOf,
  stuckSessions,
  unexplainedUnknowns,
} from './stream.js';

/** From the last repair to the last settlement, ms: an outage, an ask and the longest program, many times over. */
const SETTLE_MAX_MS = 45_000;

/** From the last commit to the row that contains it, ms, on a machine that is busy with everything at once. */
const ROWS_MAX_MS = 60_000;

/** From the report of an end to the end of the shim that told of it, ms. */
const GONE_MAX_MS = 10_000;

/**
 * Waits until these runs are settled or unknown, and says in words what does not hold of them and of everything else. They
 * can be counted then: an unknown one that its node saw running again meanwhile has ended too.
 */
export const violationsOf = async (
  fixture: Fixture,
  runIds: readonly string[],
): Promise<string[]> => {
  const open = await settled(fixture, runIds);
  const violations = [...open, ...(await violationsIn(fixture, runIds))];
  // What did not settle was waited for, and is told once.
  return open.length > 0 ? violations : [...violations, ...(await settled(fixture, runIds))];
};

/** Every accepted run ends, or says that it can't be known. @returns who did neither. */
const settled = async (fixture: Fixture, runIds: readonly string[]): Promise<string[]> => {
  let open: readonly string[] = runIds;
  const look = async (): Promise<boolean> => {
    const runs = runsOf(await fixture.stream.all());
    open = runIds.filter((runId) => {
      const status = runs.get(runId)?.status ?? 'none';
      return !isSettled(status) && status !== 'unknown';
    });
    // A queued run behind an unknown one waits for an operator, and says so.
    for (const runId of open) await releaseBlocker(fixture, runs, runId);
    return open.length === 0;
  };
  try {
    await waitUntil(
      'every run to be settled or unknown',
      () => look().catch(() => false),
      SETTLE_MAX_MS,
    );
    return [];
  } catch {
    const runs = runsOf(await fixture.stream.all());
    return open.map((runId) => `${runId} is still ${runs.get(runId)?.status ?? 'missing'}`);
  }
};

/** An operator decides on an unknown run that holds up a session. */
const releaseBlocker = async (
  fixture: Fixture,
  runs: ReturnType<typeof runsOf>,
  runId: string,
): Promise<void> => {
  const waiting = runs.get(runId);
  if (waiting?.status !== 'queued') return;
  for (const [other, run] of runs)
    if (run.status === 'unknown' && run.submission.sessionId === waiting.submission.sessionId)
      await fixture.client.resolve(other, 'abandoned');
};

/** What must hold of these runs, and of everything that the stream holds, once all is settled. @returns in words what does not. */
const violationsIn = async (fixture: Fixture, runIds: readonly string[]): Promise<string[]> => {
  const violations: string[] = [];
  for (const runId of runIds) {
    const sent = await fixture.initials(runId);
    if (sent > 1) violations.push(`${runId} was sent its prompt ${String(sent)} times`);
  }
  const commits = await fixture.stream.allAnew();
  violations.push(...(await endedByNobody(fixture, commits, runIds)));
  violations.push(
    ...brokenChains(commits),
    ...crowdedSessions(commits).map((id) => `session ${id} was crowded`),
    ...changedAfterSettlement(commits),
    ...unexplainedUnknowns(commits),
  );
  const submissions = commits
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'RunSubmitted');
  const distinct = new Set(submissions.map(({ data }) => (data as { runId: string }).runId));
  if (distinct.size !== submissions.length) violations.push('a run was submitted twice');
  for (const runId of runIds)
    if (!distinct.has(runId)) violations.push(`${runId} was accepted and is not there`);
  violations.push(...(await sessionsLeftBehind(fixture)));
  violations.push(...(await livingAfterTheirEnd(fixture, runIds)));
  violations.push(...(await projectionDifferences(fixture)));
  return violations;
};

/** Runs that are said to have completed although no agent was ever given their prompt. An operator may say so. */
const endedByNobody = async (
  fixture: Fixture,
  commits: readonly Commit[],
  runIds: readonly string[],
): Promise<readonly string[]> => {
  const byNode = typesOf(commits, 'RunCompleted');
  const sent = await Promise.all(runIds.map((runId) => fixture.initials(runId)));
  return runIds
    .filter((runId, index) => byNode.has(runId) && sent[index] === 0)
    .map((runId) => `${runId} completed, and its prompt reached nobody`);
};

/** Programs of runs that are over by proof. What an operator decided, and what a stop names as remaining, may live on. */
const livingAfterTheirEnd = async (
  fixture: Fixture,
  runIds: readonly string[],
): Promise<readonly string[]> => {
  let living: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    const commits = await fixture.stream.all();
    const runs = runsOf(commits);
    const decided = typesOf(commits, 'RunResolved');
    const alive = new Set(findAllWork().map(({ work }) => work.split('/')[0]));
    living = runIds.filter((runId) => {
      const run = runs.get(runId);
      if (run === undefined || !isOver(run) || decided.has(runId)) return false;
      return alive.has(runId) && !namesWhatRemains(commits, runId);
    });
    return living.length === 0;
  };
  try {
    await waitUntil('nothing to live on', () => look().catch(() => false), GONE_MAX_MS);
    return [];
  } catch {
    return living.map((runId) => `a program of ${runId} is alive although the run is over`);
  }
};

const typesOf = (commits: readonly Commit[], type: string): ReadonlySet<string> =>
  new Set(
    commits
      .filter(({ ref, events }) => ref.aggregate === 'run' && events.some((e) => e.type === type))
      .map(({ ref }) => ref.id),
  );

const namesWhatRemains = (commits: readonly Commit[], runId: string): boolean =>
  commits
    .filter(({ ref }) => ref.aggregate === 'run' && ref.id === runId)
    .flatMap(({ events }) => events as readonly RunEvent[])
    .some((event) => event.type === 'RunStopped' && event.data.remains.length > 0);

/** A place that became free with the last run is given on a moment later, also past those who were stopped meanwhile. */
const sessionsLeftBehind = async (fixture: Fixture): Promise<readonly string[]> => {
  let stuck: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    stuck = stuckSessions(await fixture.stream.all());
    return stuck.length === 0;
  };
  try {
    await waitUntil('no session to wait', () => look().catch(() => false), ROWS_MAX_MS);
    return [];
  } catch {
    return stuck.map((id) => `session ${id} waits though its place is free`);
  }
};

/** Rows of the read model that are not what the deciders' own fold of the stream says. */
export const projectionDifferences = async (
  fixture: Pick<Fixture, 'client' | 'stream'>,
): Promise<readonly string[]> => {
  let differences: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    const runs = runsOf(await fixture.stream.all());
    const rows = await allRows(fixture);
    differences = [...runs.values()].flatMap((run) => {
      if (run.status === 'none') return [];
      const row = rows.get(run.runId);
      const shown = row && [
        row.status,
        row.generation,
        row.stop?.stopId ?? null,
        row.lateEvidence,
        row.unknown?.fenced ?? null,
      ];
      const folded = [
        run.status,
        run.generation,
        run.stop?.stopId ?? null,
        run.lateEvidence.length,
        run.status === 'unknown' ? (run.unknown?.fenced ?? null) : null,
      ];
      return JSON.stringify(shown) === JSON.stringify(folded)
        ? []
        : [
            `row of ${run.runId} shows ${JSON.stringify(shown)}, its stream says ${JSON.stringify(folded)}`,
          ];
    });
    return differences.length === 0;
  };
  // The rows follow the stream; what is different for good is a difference.
  try {
    await waitUntil('rows to equal the folds', () => look().catch(() => false), ROWS_MAX_MS);
  } catch {
    return differences;
  }
  return differences;
};

const allRows = async ({
  client,
}: Pick<Fixture, 'client'>): Promise<ReadonlyMap<string, RunView>> => {
  const rows = new Map<string, RunView>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<RunView> = await client.get(`/v1/runs?limit=200${from}`);
    for (const row of page.items) rows.set(row.runId, row);
    cursor = page.nextCursor;
  }
  return rows;
};
