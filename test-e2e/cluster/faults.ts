import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '#testing/wait-until';
import type { Cluster } from './cluster.js';

/** What was done, and when, in milliseconds since 1970. */
export interface Struck {
  readonly victim: string;
  readonly struckAt: number;
  /** When it was brought back. */
  readonly backAt: number;
}

/** A fault that is inflicted under load, and ends by itself. */
export interface ClusterFault {
  readonly name: string;
  /** By how much a death during it may be shown later than otherwise, ms: until another reconciler has taken over. */
  readonly delaysUnknownByMs?: number;
  /** Struck by `npm run cluster` only: another fault strikes the same together with others. */
  readonly isLong?: boolean;
  readonly inflict: (cluster: Cluster, windows: FaultWindows) => Promise<Struck>;
}

/** How long victims are away, ms. */
export interface FaultWindows {
  /** Long enough for an election, which was measured to take up to 7.6 s. */
  readonly downMs: number;
  /** Past the lease of a node, and past what Postgres lets a silent holder of a lock keep it. */
  readonly frozenMs: number;
  /** Past the whole budget from a death to `unknown`. */
  readonly cutMs: number;
}

/** Source: the default windows: lease 6 s, budget 11 s. */
export const FAULT_WINDOWS: FaultWindows = { downMs: 5_000, frozenMs: 9_000, cutMs: 13_000 };

/** SIGKILL, away for a while, started again. */
const killed = async (cluster: Cluster, victim: string, downMs: number): Promise<Struck> => {
  const struckAt = Date.now();
  cluster.stack.kill(victim, 'SIGKILL');
  await cluster.stack.stopOne(victim);
  await pause(downMs);
  const backAt = Date.now();
  await cluster.stack.startAgain(victim);
  return { victim, struckAt, backAt };
};

/** SIGSTOP, SIGCONT: it has missed everything, and knows nothing of it. */
const frozen = async (
  cluster: Cluster,
  victims: readonly string[],
  frozenMs: number,
): Promise<Struck> => {
  const struckAt = Date.now();
  for (const victim of victims) cluster.stack.kill(victim, 'SIGSTOP');
  await pause(frozenMs);
  for (const victim of victims) cluster.stack.kill(victim, 'SIGCONT');
  return { victim: victims.join(', '), struckAt, backAt: Date.now() };
};

/** Source: Postgres lets a silent holder of a lock keep it for 6 s, and the next one asks for it each second. */
const TAKE_OVER_MS = 7_000;

/** Every fault, in the order in which a proof goes through them. */
export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  {
    name: 'stream leader killed',
    inflict: async (cluster, { downMs }) =>
      killed(cluster, (await cluster.brokers()).leader, downMs),
  },
  {
    name: 'follower killed',
    inflict: async (cluster, { downMs }) =>
      killed(cluster, (await cluster.brokers()).followers[0] ?? '', downMs),
  },
  {
    name: 'stream leader frozen',
    inflict: async (cluster, { frozenMs }) =>
      frozen(cluster, [(await cluster.brokers()).leader], frozenMs),
  },
  {
    name: 'active projector frozen',
    isLong: true,
    inflict: async (cluster, { frozenMs }) =>
      frozen(cluster, [await cluster.active('projector')], frozenMs),
  },
  {
    name: 'active reconciler frozen',
    isLong: true,
    inflict: async (cluster, { frozenMs }) =>
      frozen(cluster, [await cluster.active('reconciler')], frozenMs),
  },
  {
    name: 'one of the sagas frozen',
    isLong: true,
    inflict: (cluster, { frozenMs }) => frozen(cluster, ['sagas'], frozenMs),
  },
  {
    name: 'one of the commands frozen',
    isLong: true,
    inflict: (cluster, { frozenMs }) => frozen(cluster, ['commands-2'], frozenMs),
  },
  {
    name: 'one of each service frozen, those that hold a lock',
    inflict: async (cluster, { frozenMs }) =>
      frozen(
        cluster,
        [
          await cluster.active('projector'),
          await cluster.active('reconciler'),
          'sagas',
          'commands-2',
          'queries-2',
        ],
        frozenMs,
      ),
  },
  {
    name: 'node cut off',
    inflict: async ({ far }, { cutMs }) => {
      const struckAt = Date.now();
      await far.cut();
      await pause(cutMs);
      await far.mend();
      return { victim: `n2, by ${far.by}`, struckAt, backAt: Date.now() };
    },
  },
  {
    name: 'node cut off while the active reconciler is frozen',
    delaysUnknownByMs: TAKE_OVER_MS,
    isLong: true,
    inflict: async (cluster, { cutMs }) => {
      const reconciler = await cluster.active('reconciler');
      await cluster.far.cut();
      const struck = await frozen(cluster, [reconciler], cutMs + TAKE_OVER_MS);
      await cluster.far.mend();
      return {
        ...struck,
        victim: `n2, by ${cluster.far.by}, and ${reconciler}`,
        backAt: Date.now(),
      };
    },
  },
];

/** Everything is up again by itself: each process ready, each copy of each stream there. */
export const untilWhole = (cluster: Cluster, withinMs: number): Promise<true> =>
  waitUntil(
    'all copies and all processes to be back',
    async () => {
      if (!(await cluster.isWhole())) return false;
      for (const name of Object.keys(cluster.stack.pids()))
        if (!/^(nats-server|postgres)/.test(name)) await cluster.stack.ready(name, withinMs);
      return true;
    },
    withinMs,
  );
