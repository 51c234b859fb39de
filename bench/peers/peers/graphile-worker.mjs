import { load } from '../lib/load.mjs';

const TASK = 'noop';
const OUTCOMES =
  'CREATE TABLE IF NOT EXISTS bench_outcome (batch text, n integer, outcome text, PRIMARY KEY (batch, n))';
const RECORD = 'INSERT INTO bench_outcome VALUES ($1, $2, $3)';

/**
 * graphile-worker: woken by NOTIFY. It forgets a job that is done, so that its task records the outcome itself.
 *
 * @type {import('../lib/peer.mjs').Peer}
 */
export const graphileWorker = {
  name: 'graphile-worker',
  packageName: 'graphile-worker',

  async client(url, { poolMax }) {
    const { Logger, makeWorkerUtils } = await load('graphile-worker');
    const utils = await makeWorkerUtils({
      connectionString: url,
      maxPoolSize: poolMax,
      logger: new Logger(() => () => undefined),
    });
    return {
      accept: async (job) => {
        await utils.addJob(TASK, job);
      },
      close: () => utils.release(),
    };
  },

  outcomes: {
    text: 'SELECT outcome FROM bench_outcome WHERE batch = $1',
    read: ({ outcome }) => outcome,
  },

  async work(url, perform, { poolMax, concurrency }) {
    const { Logger, run } = await load('graphile-worker');
    const { default: pg } = await load('pg');
    const pool = new pg.Pool({ connectionString: url, max: poolMax });
    await pool.query(OUTCOMES);
    /** @param {import('../lib/job.mjs').Job} job @param {any} helpers */
    const task = async (job, helpers) => {
      const outcome = await perform(job);
      await helpers.query(RECORD, [job.batch, job.n, outcome]);
    };
    const runner = await run({
      pgPool: pool,
      concurrency,
      taskList: { [TASK]: task },
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
    });
    return async () => {
      await runner.stop();
      await pool.end();
    };
  },
};
