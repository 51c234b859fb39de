import { randomUUID } from 'node:crypto';
import { waitUntil } from '#testing/wait-until';
import type { RunStatus } from '#runs/contract';
import { violationsOf } from '../support/checks.js';
import {
  killOneOf,
  killProcess,
  killProgramsOf,
  startedAgain,
  type Kill,
} from '../support/faults.js';
import type { Fixture } from '../support/fixture.js';
import { statusCounts, type RoundResult } from '../support/round.js';
import { runsOf } from '../support/stream.js';
import { needsSilentNode, POSSIBLE_PAIRS } from './pairs.js';
import type { Steering } from './rounds.plan.js';

/** The node that is steered: few places, so that they can be filled, and a grace that outlasts a stop that is held open. */
export const STEERED_NODE = { maxRuns: 6, stopGraceMs: 5_000 } as const;
export const NODE_AGENT = 'node-agent-n1';

/** Submissions that are under way when the kill comes. */
const BYSTANDERS = 3;
/** Until all runs stand where they should: programs start, and some deaths must be noticed first. */
const STAGE_MAX_MS = 60_000;

/** Runs that are held where they stand, and how they are let go. */
interface Stage {
  readonly held: ReadonlyMap<string, RunStatus>;
  /** Others, which only fill places. */
  readonly fillers: readonly string[];
  release(): Promise<void>;
}

/** A kill while runs are held in every state in which this victim can meet one; then the gates are opened, and all is checked. */
export const steeredRound = async (
  fixture: Fixture,
  { victim, node }: Steering,
  onKill: (kill: Kill) => void,
): Promise<RoundResult> => {
  const isProgram = victim === 'shim' || victim === 'program';
  const stage = await (node === 'silent'
    ? stageOfSilentNode(fixture)
    : isProgram
      ? stageOfPrograms(fixture)
      : stageOfAll(fixture));
  const held = [...stage.held.keys()];
  const strike = async (): Promise<readonly Kill[]> => {
    try {
      return await (isProgram
        ? killPrograms(fixture, victim, held)
        : killService(fixture, victim === 'node-agent' ? NODE_AGENT : victim, onKill));
    } finally {
      fixture.stack.kill(NODE_AGENT, 'SIGCONT');
      await stage.release();
    }
  };
  const submissions = Array.from({ length: isProgram ? 0 : BYSTANDERS }, () =>
    fixture.client.submit('ledger', 'say:bystander', { key: randomUUID() }),
  );
  const [kills, accepted] = await Promise.all([strike(), Promise.all(submissions)]);
  const bystanders = accepted.map(({ runId }) => runId);
  const runIds = [...held, ...stage.fillers, ...bystanders];
  const violations = await violationsOf(fixture, runIds);
  const statuses = statusCounts(runsOf(await fixture.stream.all()), runIds);
  const said = `${victim} killed, steered${node === 'silent' ? ', its node silent' : ''}`;
  return { fault: said, statuses, violations, runIds, kills };
};

const killService = async (
  fixture: Fixture,
  victim: string,
  onKill: (kill: Kill) => void,
): Promise<readonly Kill[]> => {
  const kill = killProcess(fixture, victim);
  if (kill === undefined) return [];
  onKill(kill);
  await startedAgain(fixture, kill);
  return [kill];
};

const killPrograms = async (
  fixture: Fixture,
  victim: 'shim' | 'program',
  runIds: readonly string[],
): Promise<readonly Kill[]> => {
  const ledger = await fixture.ledger();
  return runIds.flatMap((runId) => {
    const pid = ledger.find(({ work }) => work.startsWith(`${runId}/`))?.pid;
    const kill = pid === undefined ? undefined : killOneOf(pid, victim, runId);
    return kill === undefined ? [] : [kill];
  });
};

/** Runs in all nine states at once. */
const stageOfAll = async (fixture: Fixture): Promise<Stage> => {
  const { client } = fixture;
  const [completed, failed, stopped, unknown, abandoned] = await Promise.all([
    client.submit('ledger', 'say:done').then(({ runId }) => runId),
    client.submit('ledger', 'exit:3').then(({ runId }) => runId),
    waiting(fixture),
    waiting(fixture),
    waiting(fixture),
  ]);
  await client.stop(stopped);
  killProgramsOf(unknown);
  killProgramsOf(abandoned);
  await standing(fixture, new Map([[abandoned, 'unknown']]));
  await client.resolve(abandoned, 'abandoned');
  // The states that pass are set up last: what is above stays as it is.
  await standing(
    fixture,
    new Map([
      [completed, 'completed'],
      [failed, 'failed'],
      [stopped, 'stopped'],
      [unknown, 'unknown'],
      [abandoned, 'abandoned'],
    ]),
  );
  const gate = fixture.gate();
  const [stopping, running, ...fillers] = await Promise.all(
    Array.from({ length: STEERED_NODE.maxRuns }, (_, index) =>
      fixture.started('ledger', `${index === 0 ? 'stubborn ' : ''}until:${gate.path}`),
    ),
  );
  if (stopping === undefined || running === undefined) throw new Error('bug: too few places');
  const queued = await client.submit('ledger', 'say:queued', { session: running });
  const dispatched = await client.submit('ledger', 'say:dispatched');
  await standing(fixture, new Map([[dispatched.runId, 'dispatched']]));
  await client.stop(stopping);
  const held = new Map<string, RunStatus>([
    [completed, 'completed'],
    [failed, 'failed'],
    [stopped, 'stopped'],
    [unknown, 'unknown'],
    [abandoned, 'abandoned'],
    [running, 'running'],
    [queued.runId, 'queued'],
    [dispatched.runId, 'dispatched'],
    [stopping, 'stopping'],
  ]);
  await standing(fixture, held);
  return { held, fillers, release: () => gate.open() };
};

/** Programs of runs that are at work, or being stopped. */
const stageOfPrograms = async (fixture: Fixture): Promise<Stage> => {
  const gate = fixture.gate();
  const [running, stopping] = await Promise.all([
    fixture.started('ledger', `until:${gate.path}`),
    fixture.started('ledger', `stubborn until:${gate.path}`),
  ]);
  await fixture.client.stop(stopping);
  const held = new Map<string, RunStatus>([
    [running, 'running'],
    [stopping, 'stopping'],
  ]);
  await standing(fixture, held);
  return { held, fillers: [], release: () => gate.open() };
};

/** Programs that live on while their node is silent: their runs are unknown, or an operator has decided on them. */
const stageOfSilentNode = async (fixture: Fixture): Promise<Stage> => {
  const gate = fixture.gate();
  const states = POSSIBLE_PAIRS.filter(
    ({ process, state }) => process === 'program' && needsSilentNode(state),
  ).map(({ state }) => state);
  const runIds = await Promise.all(
    states.map(() => fixture.started('ledger', `until:${gate.path}`)),
  );
  fixture.stack.kill(NODE_AGENT, 'SIGSTOP');
  await standing(fixture, new Map(runIds.map((runId) => [runId, 'unknown'])));
  const held = new Map(runIds.map((runId, index) => [runId, states[index] ?? 'unknown']));
  for (const [runId, state] of held)
    if (state !== 'unknown') await fixture.client.resolve(runId, state);
  await standing(fixture, held);
  return { held, fillers: [], release: () => gate.open() };
};

/** A program that waits for a gate that nobody opens. */
const waiting = (fixture: Fixture): Promise<string> =>
  fixture.started('ledger', `until:${fixture.gate().path}`);

/** Waits until the stream says that all of these stand where they should. */
const standing = async (
  fixture: Fixture,
  wanted: ReadonlyMap<string, RunStatus>,
): Promise<void> => {
  let missing: readonly string[] = [];
  await waitUntil(
    'the runs to stand where they should',
    async () => {
      const runs = runsOf(await fixture.stream.all());
      missing = [...wanted].flatMap(([runId, state]) => {
        const status = runs.get(runId)?.status ?? 'none';
        return status === state ? [] : [`${runId} is ${status}, not ${state}`];
      });
      return missing.length === 0;
    },
    STAGE_MAX_MS,
  ).catch((cause: unknown) => {
    throw new Error(`the stage was not set: ${missing.join('; ')}`, { cause });
  });
};
