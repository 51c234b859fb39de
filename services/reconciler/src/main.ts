import { Sweeper } from '#hosting';
import { LeaseJudge, openBackbone, RequestClient } from '#nats';
import { readVerdict } from '#nodes/contract';
import { JsonFile, ServiceProcess, runFile, systemClock } from '#platform';
import { AdvisoryLocks, Database } from '#postgres';
import { NodeWatch, RUNS_SWEEP, RunReconciler, TypeormOpenRuns } from '#runs/reconcile';
import { reconcilerConfig } from './reconciler.config.js';
import { NatsRunActions } from './run.actions.js';
import { createSpawnSweep } from './spawn.sweep.js';

/** Room for a saga beside its questions to a node, ms. */
const SAGA_MARGIN_MS = 5_000;

/** How often open runs are counted, ms. */
const COUNT_MS = 5_000;

const config = reconcilerConfig(process.env);
const { windows } = config;
const { process: self, health } = await ServiceProcess.begin(config);
const { logger, metrics, readiness } = self;
const { link, topology, events, aggregates, guard } = await openBackbone({
  ...config,
  mode: 'check',
  memory: new JsonFile(runFile(config, 'seen')),
  metrics,
  onWaiting: (why) => {
    self.waitsFor(why);
  },
  onDiverged: (err) => {
    logger.fatal({ err }, 'the stream is not the one that was seen: was it restored?');
    process.exit(1);
  },
});
readiness.set('nats', () => ({ ok: link.isConnected, detail: link.serverVersion }));
readiness.set('durability', () => ({ ok: true, detail: topology.durability }));

const ending = new AbortController();
const onPostgres = (err: unknown): void => {
  logger.warn({ err }, 'Postgres');
};
const postgres = {
  url: config.databaseUrl,
  applicationName: config.service,
  onProblem: onPostgres,
};
const database = await Database.open({ ...postgres, entities: [] }, ending.signal);
readiness.set('postgres', async () => ({ ok: await database.isReachable() }));
// Under its own name: who is the active one can be seen at the database.
const locks = new AdvisoryLocks({ ...postgres, applicationName: config.instance });

const judge = new LeaseJudge(link, config.instance, windows);
judge.start();
const leases = {
  judge: async (workspace: string, node: string) => readVerdict(await judge.judge(workspace, node)),
};
const requests = new RequestClient(link);
const advanceTimeoutMs = windows.askAttempts * windows.askTimeoutMs + SAGA_MARGIN_MS;
const actions = new NatsRunActions({
  requests,
  aggregates,
  epochs: events,
  clock: systemClock,
  strandedMs: windows.strandedMs,
  advanceTimeoutMs,
  onProblem: (problem, { runId }) => {
    logger.warn({ runId, problem }, 'a finding was not followed; the next pass looks again');
  },
});
const rows = new TypeormOpenRuns(database);
const reconciler = new RunReconciler(
  rows,
  new NodeWatch(leases, windows.leaseMs),
  actions,
  systemClock,
  { strandedMs: windows.strandedMs },
);

const passes = metrics.counter('reconciler_passes_total', 'Passes that were finished', []);
const findings = metrics.counter('reconciler_findings_total', 'Runs that a pass handed on', [
  'kind',
]);
const skipped = metrics.counter(
  'reconciler_skipped_unreachable_total',
  'Open runs of which nothing was concluded, because their node could not be judged',
  [],
);
const remaining = metrics.gauge(
  'reconciler_remaining',
  'Rows that the last pass left for the next',
  [],
);
const openRuns = metrics.gauge('runs_open', 'Runs that are not settled, as rows have them', [
  'status',
]);
let countAtMs = 0;
const countOpen = async (): Promise<void> => {
  if (performance.now() < countAtMs) return;
  countAtMs = performance.now() + COUNT_MS;
  for (const { status, count } of await rows.counts()) openRuns.set({ status }, count);
};
const sweeper = new Sweeper({
  name: RUNS_SWEEP,
  everyMs: windows.sweepMs,
  lock: locks,
  pass: async () => {
    const pass = await reconciler.pass();
    passes.inc();
    findings.inc({ kind: 'advance' }, pass.advanced);
    findings.inc({ kind: 'strand' }, pass.stranded);
    skipped.inc(pass.skippedUnreachable);
    remaining.set(pass.remaining);
    await countOpen();
  },
  onProblem: (err) => {
    openRuns.reset(); // Another one may be the active one now.
    logger.warn({ err }, 'a pass failed; the next one looks again');
  },
});
readiness.set('sweep', () => ({
  ok: !sweeper.failed,
  detail: sweeper.isActive ? 'active' : 'standing by',
}));
const spawnSweeper = createSpawnSweep({
  database,
  requests,
  lock: locks,
  windows,
  advanceTimeoutMs,
  logger,
  metrics,
  readiness,
});
sweeper.start();
spawnSweeper.start();
self.serves({ durability: topology.durability, nats: topology.serverVersion }, async () => {
  ending.abort();
  await Promise.all([sweeper.stop(), spawnSweeper.stop()]);
  await judge.stop();
  await locks.close();
  await database.close();
  guard.stop();
  await link.drain();
  await health.close();
});
