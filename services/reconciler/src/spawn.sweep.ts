import { Sweeper, type ActivityLock } from '#hosting';
import type { RequestClient } from '#nats';
import {
  systemClock,
  type Logger,
  type Metrics,
  type ReadinessBoard,
  type Windows,
} from '#platform';
import type { Database } from '#postgres';
import {
  SPAWNS_SWEEP,
  SpawnReconciler,
  TypeormOpenSpawns,
  TypeormSlotAccounts,
} from '#spawns/reconcile';
import { NatsSpawnActions } from './spawn.actions.js';

export interface SpawnSweepParts {
  readonly database: Database;
  readonly requests: Pick<RequestClient, 'request'>;
  readonly lock: ActivityLock;
  readonly windows: Windows;
  /** A saga may ask a node several times before it answers, ms. */
  readonly advanceTimeoutMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: ReadinessBoard;
}

/** Nodes whose places don't add up that one pass names. */
const NAMED_MAX = 10;
/** How often in a row places must fail to add up before that is told: a step may be on its way. */
const SEEN_MIN = 5;

/** Hands on the spawns that may need a step, and checks that the places of nodes add up. */
export const createSpawnSweep = (parts: SpawnSweepParts): Sweeper => {
  const { database, requests, lock, windows, logger, metrics, readiness } = parts;
  const actions = new NatsSpawnActions(requests, parts.advanceTimeoutMs, (problem, { spawnId }) => {
    logger.warn({ spawnId, problem }, 'a spawn was not looked at; the next pass looks again');
  });
  const reconciler = new SpawnReconciler(
    new TypeormOpenSpawns(database),
    actions,
    systemClock,
    windows.repeatMs,
  );
  const checkPlaces = placesCheck(parts);
  const advanced = metrics.counter('reconciler_spawns_total', 'Spawns that a pass handed on', []);
  const open = metrics.gauge('spawns_open', 'Spawns that may need a step, as rows have them', []);
  const sweeper = new Sweeper({
    name: SPAWNS_SWEEP,
    everyMs: windows.sweepMs,
    lock,
    pass: async () => {
      const pass = await reconciler.pass();
      advanced.inc(pass.advanced);
      open.set(pass.looked);
      await checkPlaces();
    },
    onProblem: (err) => {
      open.reset(); // Another one may be the active one now.
      logger.warn({ err }, 'a pass over spawns failed; the next one looks again');
    },
  });
  readiness.set('sweep-spawns', () => ({
    ok: !sweeper.failed,
    detail: sweeper.isActive ? 'active' : 'standing by',
  }));
  return sweeper;
};

/** Each place that a node holds belongs to one spawn, and each spawn that must have one has it: told when it is not so. */
const placesCheck = ({
  database,
  logger,
  metrics,
}: Pick<SpawnSweepParts, 'database' | 'logger' | 'metrics'>): (() => Promise<void>) => {
  const accounts = new TypeormSlotAccounts(database);
  const differing = metrics.gauge(
    'slots_unbalanced_nodes',
    'Nodes whose places and the spawns that hold them do not add up',
    [],
  );
  let seen = 0;
  return async () => {
    const found = await accounts.unbalanced(NAMED_MAX);
    if (!found.level) return; // Two moments: nothing follows from a difference between them.
    seen = found.accounts.length === 0 ? 0 : seen + 1;
    differing.set(seen >= SEEN_MIN ? found.accounts.length : 0);
    if (seen === SEEN_MIN)
      logger.error({ accounts: found.accounts }, 'places and the spawns that hold them differ');
  };
};
