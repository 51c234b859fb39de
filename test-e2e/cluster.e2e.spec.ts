import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountOf, type Account, type Evidence } from './cluster/account.js';
import { Cluster } from './cluster/cluster.js';
import { CLUSTER_FAULTS, FAULT_WINDOWS } from './cluster/faults.js';
import { Load } from './cluster/load.js';
import { lines, prove, settle, table, type FaultFigures } from './cluster/proof.js';
import { chanceOf } from './support/faults.js';
import { projectionDifferences } from './support/checks.js';

/** From a death to `unknown` with the default windows, while brokers, Postgres and a reconciler are up. Source: the README. */
const UNKNOWN_MAX_MS = 15_000;
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 20_261_129);

/** Struck under load, with the default windows. `npm run cluster` strikes each victim alone, and more often. */
const STRUCK = CLUSTER_FAULTS.filter(({ isLong }) => isLong !== true);

describe('three brokers, two of each service and two nodes', () => {
  let cluster: Cluster;
  let load: Load;
  const figures: FaultFigures[] = [];
  let evidence: Evidence | undefined;
  let account: Account | undefined;

  beforeAll(async () => {
    cluster = await Cluster.start({});
    load = new Load(cluster.clients, chanceOf(SEED));
    load.start();
  }, 240_000);
  afterAll(async () => {
    await cluster.destroy();
    const { by, why } = cluster.far;
    console.log(
      [
        table(figures),
        account === undefined ? 'no account' : lines(account),
        `seed ${String(SEED)}; the node was cut off by ${by}${why === undefined ? '' : `, since: ${why}`}`,
      ].join('\n\n'),
    );
  }, 60_000);

  it.each(STRUCK.map((fault) => [fault.name, fault] as const))(
    'recover by themselves: %s',
    async (_, fault) => {
      const figure = await prove(cluster, load, fault, FAULT_WINDOWS);
      figures.push(figure);
      expect(figure.unknownAfterMs).toBeLessThan(UNKNOWN_MAX_MS + (fault.delaysUnknownByMs ?? 0));
    },
    240_000,
  );

  it('lose and double nothing of what was accepted meanwhile, and all of it ends @FM-56', async () => {
    ({ evidence, account } = await settle(cluster, load));
    const { submitted } = account;
    expect(account).toMatchObject({
      accepted: submitted,
      started: submitted,
      completed: submitted,
    });
    expect(account).toMatchObject({ lost: [], doubled: [], broken: [], otherEnds: {} });
    expect(await projectionDifferences(cluster)).toEqual([]);
    const ended = cluster.events.filter(
      ({ kind, name }) => kind === 'ended' && !/^nats/.test(name),
    );
    expect(ended).toEqual([]);
  }, 180_000);

  it('would be caught at a double and at a loss', () => {
    if (evidence === undefined) throw new Error('there is no evidence');
    const { submissions, ledger, commits } = evidence;
    const [first] = ledger;
    const [last] = submissions.slice(-1);
    if (first === undefined || last === undefined) throw new Error('nothing was submitted');
    const runId = first.work.split('/')[0] ?? '';
    const doubled = accountOf({ ...evidence, ledger: [...ledger, { ...first, pid: 0 }] });
    expect(doubled.doubled).toEqual([`${runId} was started 2 times`]);
    const [lostId = ''] = last.runIds;
    const without = commits.filter(({ ref }) => ref.id !== lostId);
    expect(accountOf({ ...evidence, commits: without }).lost).toEqual([
      `${lostId} was accepted and is not there`,
    ]);
    const unstarted = ledger.filter(({ work }) => !work.startsWith(`${lostId}/`));
    expect(accountOf({ ...evidence, ledger: unstarted }).lost).toEqual([
      `${lostId} is completed, and its program never started`,
    ]);
  });
});
