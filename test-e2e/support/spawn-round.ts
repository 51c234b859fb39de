import { randomUUID } from 'node:crypto';
import { findAllWork } from '#execution/process';
import {
  atRandomMoment,
  isShim,
  killOneOf,
  killProcess,
  pick,
  startedAgain,
  type Kill,
} from './faults.js';
import type { Route, Wire } from './spawn-caller.js';
import type { SpawnFixture } from './spawn-fixture.js';
import { spawnsOf } from './spawn-streams.js';

/** What a round came to. `violations` is what must be empty; the rest is for whoever reads a failure. */
export interface SpawnRound {
  readonly killed: readonly string[];
  readonly statuses: readonly string[];
  readonly violations: readonly string[];
}

const KEYS = 3;
const KILLS = 9;
const WITHIN_MS = 1_800;
const PROGRAMS = ['program', 'shim', 'program-group'] as const;
const VICTIMS = [
  'commands',
  'commands',
  'sagas',
  'sagas',
  'reconciler',
  'gateway',
  'projector',
  'queries',
  'node-agent-n1',
  'node-agent-n1',
  'node-agent-n1',
  'node-agent-n2',
  'nats-server',
  'postgres',
  ...PROGRAMS,
];
const WAYS: readonly [Route, Wire][] = [
  ['invoke', 'http'],
  ['invoke', 'nats'],
  ['replay', 'http'],
  ['replay', 'nats'],
];

/** A few keys, each asked for in every way at once, while processes are killed at random moments; one agent is stopped. */
export const spawnRound = async (
  fixture: SpawnFixture,
  chance: () => number,
): Promise<SpawnRound> => {
  const calls = Array.from({ length: KEYS }, () => askedInEveryWay(fixture, chance));
  const kills = Array.from({ length: KILLS }, async () => {
    const victim = pick(VICTIMS, chance);
    await atRandomMoment(chance, WITHIN_MS);
    return kill(fixture, victim, chance);
  });
  const answered = await Promise.all(calls);
  const spawnIds = answered.flat();
  if (chance() < 0.5) await stop(fixture, pick(spawnIds, chance));
  const killed = await Promise.all(kills);
  const strangers = answered
    .filter((ids) => new Set(ids).size > 1)
    .map((ids) => `one key has the spawns ${ids.join()}`);
  const violations = [...strangers, ...(await fixture.violations())];
  const spawns = spawnsOf(await fixture.stream.all());
  return {
    killed: killed.filter((name) => name !== null),
    statuses: [...new Set(spawnIds)].map((id) => {
      const spawn = spawns.get(id);
      return spawn?.failure?.code ?? spawn?.status ?? 'missing';
    }),
    violations,
  };
};

/** @returns which spawn each of the calls was answered with. */
const askedInEveryWay = (
  fixture: SpawnFixture,
  chance: () => number,
): Promise<readonly string[]> => {
  const key = randomUUID();
  const task = chance() < 0.5 ? fixture.task() : `work:${String(Math.floor(chance() * 800))}`;
  return Promise.all(
    WAYS.map(async ([route, wire]) => {
      const options = { wire, mayBeMissing: route === 'replay' };
      const facts = route === 'invoke' ? { task } : null;
      return (await fixture.caller.insist(route, key, facts, options)).view.invocation_id;
    }),
  );
};

/** Whether there is an agent to stop is decided by then, or not: both answers are fine. */
const stop = async (fixture: SpawnFixture, spawnId: string): Promise<void> => {
  const body = { target: { kind: 'agent', id: spawnId }, reason: 'a test says so' };
  await fixture.client.insist('/v1/stops', body, randomUUID());
};

/** @returns who was killed, and is up again; null when it was not up. */
const kill = async (
  fixture: SpawnFixture,
  victim: string,
  chance: () => number,
): Promise<string | null> => {
  const program = PROGRAMS.find((name) => name === victim);
  if (program !== undefined)
    return (await killAgent(fixture, program, chance)) === undefined ? null : victim;
  const killed = killProcess(fixture, victim);
  if (killed === undefined) return null;
  await startedAgain(fixture, killed);
  return victim;
};

const killAgent = async (
  fixture: SpawnFixture,
  victim: (typeof PROGRAMS)[number],
  chance: () => number,
): Promise<Kill | undefined> => {
  const own = spawnsOf(await fixture.stream.all().catch(() => []));
  const agents = findAllWork().filter(
    ({ work, identity }) => own.has(work.split('/')[0] ?? '') && !isShim(identity.pid),
  );
  if (agents.length === 0) return undefined;
  const { work, identity } = pick(agents, chance);
  return killOneOf(identity.pid, victim, work);
};
