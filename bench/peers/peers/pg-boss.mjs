import { load } from '../lib/load.mjs';

const QUEUE = 'bench';
/** The shortest that it takes, seconds. */
const POLL_S = 0.5;
/** Jobs that one fetch takes, at most: they are settled together, each with its own outcome. */
const BATCH_MAX = 64;

/**
 * pg-boss: woken by NOTIFY, or polling.
 *
 * @param {string} name
 * @param {boolean} notify
 * @returns {import('../lib/peer.mjs').Peer}
 */
const pgBoss = (name, notify) => {
  /** @param {string} url @param {number} poolMax @param {boolean} isWorker */
  const open = async (url, poolMax, isWorker) => {
    const { PgBoss } = await load('pg-boss');
    const boss = new PgBoss({
      connectionString: url,
      max: poolMax,
      useListenNotify: notify && isWorker,
      schedule: false,
      supervise: false,
    });
    boss.on('error', console.error);
    await boss.start();
    return boss;
  };
  return {
    name,
    packageName: 'pg-boss',

    async client(url, { poolMax }) {
      const boss = await open(url, poolMax, false);
      return {
        accept: async (job) => {
          await boss.send(QUEUE, job);
        },
        close: () => boss.stop(),
      };
    },

    outcomes: {
      text: `SELECT output FROM pgboss.job WHERE data->>'batch' = $1 AND state = 'completed'`,
      read: ({ output }) => output.value,
    },

    async work(url, perform, { poolMax, concurrency }) {
      const boss = await open(url, poolMax, true);
      await boss.createQueue(QUEUE, { notify });
      await boss.work(
        QUEUE,
        {
          batchSize: Math.min(concurrency, BATCH_MAX),
          perJobResults: true,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: POLL_S,
        },
        /** @param {readonly { id: string, data: import('../lib/job.mjs').Job }[]} jobs */
        (jobs) =>
          Promise.all(
            jobs.map(async ({ id, data }) => ({
              id,
              status: 'completed',
              output: { value: await perform(data) },
            })),
          ),
      );
      return () => boss.stop();
    },
  };
};

export const pgBossNotify = pgBoss('pg-boss-notify', true);
export const pgBossPolling = pgBoss('pg-boss-polling', false);
