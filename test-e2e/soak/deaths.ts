import { waitUntil } from '#testing/wait-until';
import { killProcess, killProgramsOf } from '../support/faults.js';
import type { Fixture } from '../support/fixture.js';
import { IN_FLIGHT, type Measures } from './measures.js';
import { NODE_AGENT } from './steered.round.js';

const eventAt = async (fixture: Fixture, runId: string, type: string): Promise<number> =>
  waitUntil(
    `${type} of ${runId}`,
    async () => (await fixture.stream.run(runId)).findLast((event) => event.type === type)?.data.at,
    60_000,
  );

const nodeIsWell = async (fixture: Fixture, not: string | null, running: number): Promise<true> =>
  waitUntil(
    'the node to have recovered',
    async () => {
      // eslint-disable-next-line holdfast/no-silent-catch -- asked again at the next look.
      const node = await fixture.client.node('n1').catch(() => undefined);
      return (
        node?.liveness === 'alive' &&
        !node.recovering &&
        node.incarnation !== not &&
        node.running >= running
      );
    },
    60_000,
  );

const manyWaiting = async (fixture: Fixture) => {
  const gate = fixture.gate();
  const runIds = await Promise.all(
    Array.from({ length: IN_FLIGHT.single }, () => fixture.started('ledger', `until:${gate.path}`)),
  );
  await nodeIsWell(fixture, null, IN_FLIGHT.single);
  return { gate, runIds };
};

/** Nobody is left who could tell: the lease runs out, the node is asked in vain, and then it is said. */
export const deathToUnknown = async (fixture: Fixture, measures: Measures): Promise<void> => {
  const { runIds } = await manyWaiting(fixture);
  fixture.stack.kill(NODE_AGENT, 'SIGSTOP');
  for (const runId of runIds) killProgramsOf(runId);
  const diedAt = Date.now();
  try {
    await Promise.all(
      runIds.map(async (runId) => {
        await fixture.client.untilStatus(runId, 'unknown');
        measures.add('unknown.shown', Date.now() - diedAt);
        measures.add(
          'unknown.recorded',
          (await eventAt(fixture, runId, 'RunOutcomeUnknown')) - diedAt,
        );
      }),
    );
  } finally {
    fixture.stack.kill(NODE_AGENT, 'SIGCONT');
  }
  await nodeIsWell(fixture, null, 0);
};

/** The agent is started again at once, finds its programs dead, and says that nobody can know. */
export const deathToBeingTold = async (fixture: Fixture, measures: Measures): Promise<void> => {
  const { runIds } = await manyWaiting(fixture);
  const diedAt = Date.now();
  fixture.stack.kill(NODE_AGENT, 'SIGKILL');
  for (const runId of runIds) killProgramsOf(runId);
  for (const runId of runIds)
    measures.add('unknown.told', (await eventAt(fixture, runId, 'RunOutcomeUnknown')) - diedAt);
};

/** The programs live on, and the next incarnation takes them over. */
export const deathToAdoption = async (fixture: Fixture, measures: Measures): Promise<void> => {
  const { gate, runIds } = await manyWaiting(fixture);
  const { incarnation } = await fixture.client.node('n1');
  const kill = killProcess(fixture, NODE_AGENT);
  const diedAt = kill?.at ?? Date.now();
  await nodeIsWell(fixture, incarnation, IN_FLIGHT.single);
  measures.add('adoption', Date.now() - diedAt);
  await gate.open();
  for (const runId of runIds) await fixture.client.untilStatus(runId, 'completed');
};

/** The programs end while their agent is dead; their exits are found. */
export const deathToOutcome = async (fixture: Fixture, measures: Measures): Promise<void> => {
  const { gate, runIds } = await manyWaiting(fixture);
  const diedAt = Date.now();
  fixture.stack.kill(NODE_AGENT, 'SIGKILL');
  await gate.open();
  for (const runId of runIds)
    measures.add('adoption.outcome', (await eventAt(fixture, runId, 'RunCompleted')) - diedAt);
};

/** The runtime aborts the turn when its client dies; a second attempt sends one recovery prompt. */
export const deathToResumption = async (fixture: Fixture, measures: Measures): Promise<void> => {
  await fixture.turnsRuntime.behave({ abortWhenClientDies: 1 });
  try {
    const runIds = await Promise.all(
      Array.from({ length: IN_FLIGHT.resumable }, () =>
        fixture.started('turns', 'hang; say recovered'),
      ),
    );
    for (const runId of runIds)
      await fixture.client.until(runId, 'observed', ({ receipts }) => receipts.observedAt !== null);
    const threads = new Map(
      runIds.map((runId) => [
        fixture.turns().find(({ clientId }) => clientId === runId)?.thread,
        runId,
      ]),
    );
    const diedAt = Date.now();
    fixture.stack.kill(NODE_AGENT, 'SIGKILL');
    for (const runId of runIds) killProgramsOf(runId);
    for (const runId of runIds) await fixture.client.untilStatus(runId, 'completed');
    for (const runId of runIds)
      measures.add('resumption.claimed', (await eventAt(fixture, runId, 'RunClaimed')) - diedAt);
    for (const { kind, thread, at } of fixture.turns())
      if (kind === 'recovery' && threads.has(thread)) measures.add('resumption.sent', at - diedAt);
  } finally {
    await fixture.turnsRuntime.behave({ abortWhenClientDies: 0 });
  }
};

/** A stop that is accepted while the agent is dead is carried out by its next incarnation. */
export const stopAcrossRestart = async (fixture: Fixture, measures: Measures): Promise<void> => {
  const { runIds } = await manyWaiting(fixture);
  const diedAt = Date.now();
  fixture.stack.kill(NODE_AGENT, 'SIGKILL');
  await Promise.all(runIds.map((runId) => fixture.client.stop(runId)));
  for (const runId of runIds)
    measures.add('stop.across', (await eventAt(fixture, runId, 'RunStopped')) - diedAt);
};
