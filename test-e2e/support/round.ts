import { randomUUID } from 'node:crypto';
import { isSettled } from '#runs/contract';
import type { Page, RunView } from '#contracts';
import { waitUntil } from '#testing';
import { atRandomMoment, faultOf, inflict, pick } from './faults.js';
import { SHORT_WINDOWS, type Fixture } from './fixture.js';
import { brokenChains, crowdedSessions, runsOf, stuckSessions } from './stream.js';

/** What a round came to. `violations` is what must be empty; the rest is for whoever reads a failure. */
export interface RoundResult {
  readonly fault: string;
  readonly statuses: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const RUNS = 6;
/** From the last repair to the last settlement, ms: an outage, an ask and the longest program, many times over. */
const SETTLE_MAX_MS = 45_000;

/** From the last commit to the row that contains it, ms, on a machine that is busy with everything at once. */
const ROWS_MAX_MS = 60_000;

const promptOf = (agent: 'ledger' | 'turns', chance: () => number): string => {
  const ms = Math.floor(chance() * 1_200);
  return agent === 'ledger' ? `work:${String(ms)} say:hello` : `work ${String(ms)}ms; say hello`;
};

/** Runs of both classes, two of them in one session, and a fault at a random moment in the middle of them. */
export const killRound = async (fixture: Fixture, chance: () => number): Promise<RoundResult> => {
  const { client } = fixture;
  const opener = await client.submit('ledger', 'work:50');
  const submissions = Array.from({ length: RUNS }, (_, index) => {
    const agent = index % 2 === 0 ? 'ledger' : 'turns';
    const session = agent === 'ledger' && index > 0 ? { session: opener.sessionId } : {};
    return client.submit(agent, promptOf(agent, chance), { key: randomUUID(), ...session });
  });
  const fault = faultOf(chance);
  const struck = atRandomMoment(chance, 1_500).then(() =>
    inflict(fixture, fault, SHORT_WINDOWS.leaseMs * 2),
  );
  const accepted = [opener, ...(await Promise.all(submissions))];
  const stopped = chance() < 0.3 ? pick(accepted, chance) : null;
  if (stopped !== null) await client.stop(stopped.runId);
  const said = await struck;
  const runIds = accepted.map(({ runId }) => runId);
  const violations = await settled(fixture, runIds);
  violations.push(...(await violationsIn(fixture, runIds)));
  const folded = runsOf(await fixture.stream.all());
  if (stopped !== null) {
    const status = folded.get(stopped.runId)?.status;
    // It may have been over before the stop came; then the stop was too late, and nothing was recorded.
    const recorded = (await fixture.stream.run(stopped.runId)).some(
      ({ type }) => type === 'RunStopRequested',
    );
    if (recorded && status === 'completed')
      violations.push(`${stopped.runId} completed after its stop`);
  }
  const statuses: Record<string, number> = {};
  for (const runId of runIds) {
    const status = folded.get(runId)?.status ?? 'none';
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return { fault: said, statuses, violations };
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

const violationsIn = async (fixture: Fixture, runIds: readonly string[]): Promise<string[]> => {
  const violations: string[] = [];
  for (const runId of runIds) {
    const sent = await fixture.initials(runId);
    if (sent > 1) violations.push(`${runId} was sent its prompt ${String(sent)} times`);
  }
  const commits = await fixture.stream.all();
  violations.push(
    ...brokenChains(commits),
    ...crowdedSessions(commits).map((id) => `session ${id} was crowded`),
  );
  const submissions = commits
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'RunSubmitted');
  const distinct = new Set(submissions.map(({ data }) => (data as { runId: string }).runId));
  if (distinct.size !== submissions.length) violations.push('a run was submitted twice');
  for (const runId of runIds)
    if (!distinct.has(runId)) violations.push(`${runId} was accepted and is not there`);
  violations.push(...(await sessionsLeftBehind(fixture)));
  violations.push(...(await projectionDifferences(fixture)));
  return violations;
};

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
export const projectionDifferences = async (fixture: Fixture): Promise<readonly string[]> => {
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

const allRows = async (fixture: Fixture): Promise<ReadonlyMap<string, RunView>> => {
  const rows = new Map<string, RunView>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<RunView> = await fixture.client.get(`/v1/runs?limit=200${from}`);
    for (const row of page.items) rows.set(row.runId, row);
    cursor = page.nextCursor;
  }
  return rows;
};
