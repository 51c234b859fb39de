import { randomUUID } from 'node:crypto';
import { violationsOf } from './checks.js';
import { atRandomMoment, faultOf, inflict, pick, type Kill } from './faults.js';
import { SHORT_WINDOWS, type Fixture } from './fixture.js';
import { runsOf } from './stream.js';

/** What a round came to. `violations` is what must be empty; the rest is for whoever reads a failure. */
export interface RoundResult {
  readonly fault: string;
  readonly statuses: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
  readonly runIds: readonly string[];
  readonly kills: readonly Kill[];
}

const RUNS = 6;

const promptOf = (agent: 'ledger' | 'turns', chance: () => number): string => {
  const ms = Math.floor(chance() * 1_200);
  return agent === 'ledger' ? `work:${String(ms)} say:hello` : `work ${String(ms)}ms; say hello`;
};

/** Runs of both classes, two of them in one session, and a fault at a random moment in the middle of them. */
export const killRound = async (
  fixture: Fixture,
  chance: () => number,
  /** Told of a kill at once, so that what follows can be timed. */
  onKill: (kill: Kill) => void = () => undefined,
): Promise<RoundResult> => {
  const { client } = fixture;
  const opener = await client.submit('ledger', 'work:50');
  const submissions = Array.from({ length: RUNS }, (_, index) => {
    const agent = index % 2 === 0 ? 'ledger' : 'turns';
    const session = agent === 'ledger' && index > 0 ? { session: opener.sessionId } : {};
    return client.submit(agent, promptOf(agent, chance), { key: randomUUID(), ...session });
  });
  const fault = faultOf(chance);
  const struck = atRandomMoment(chance, 1_500).then(() =>
    inflict(fixture, fault, SHORT_WINDOWS.leaseMs * 2, onKill),
  );
  const accepted = [opener, ...(await Promise.all(submissions))];
  const stopped = chance() < 0.3 ? pick(accepted, chance) : null;
  if (stopped !== null) await client.stop(stopped.runId);
  const { said, kills } = await struck;
  const runIds = accepted.map(({ runId }) => runId);
  const violations = await violationsOf(fixture, runIds);
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
  const statuses = statusCounts(folded, runIds);
  return { fault: said, statuses, violations, runIds, kills };
};

/** How many of the runs stand where. */
export const statusCounts = (
  runs: ReturnType<typeof runsOf>,
  runIds: readonly string[],
): Readonly<Record<string, number>> => {
  const statuses: Record<string, number> = {};
  for (const runId of runIds) {
    const status = runs.get(runId)?.status ?? 'none';
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
};
