import { load } from '../lib/load.mjs';

const QUEUE = 'bench';
const WORKFLOW = 'noop';
/** How often the queue is asked for work, ms; the default is a second. */
const POLL_MS = 20;
const APPLICATION = { name: 'bench', version: '1' };
const QUIET = { info() {}, debug() {}, warn() {}, error: console.error };

/**
 * DBOS: a job is a workflow that is put into a queue; its outcome is the workflow's result.
 *
 * @type {import('../lib/peer.mjs').Peer}
 */
export const dbos = {
  name: 'dbos',
  packageName: '@dbos-inc/dbos-sdk',

  async client(url, { poolMax }) {
    const { DBOSClient } = await load('@dbos-inc/dbos-sdk');
    const client = await DBOSClient.create({
      systemDatabaseUrl: url,
      systemDatabasePoolSize: poolMax,
      applicationName: APPLICATION.name,
      logger: QUIET,
    });
    return {
      accept: async (job) => {
        await client.enqueue(
          {
            workflowName: WORKFLOW,
            queueName: QUEUE,
            workflowID: `${job.batch}-${job.n}`,
            appVersion: APPLICATION.version,
          },
          job,
        );
      },
      close: () => client.destroy(),
    };
  },

  outcomes: {
    text: `SELECT result.output FROM dbos.workflow_status
      JOIN dbos.workflow_output AS result USING (workflow_uuid)
      WHERE workflow_uuid LIKE $1 || '-%' AND status = 'SUCCESS'`,
    read: ({ output }) => JSON.parse(output).json,
  },

  async work(url, perform, { poolMax, concurrency }) {
    const { DBOS } = await load('@dbos-inc/dbos-sdk');
    DBOS.setConfig({
      name: APPLICATION.name,
      applicationVersion: APPLICATION.version,
      systemDatabaseUrl: url,
      systemDatabasePoolSize: poolMax,
      logger: QUIET,
    });
    DBOS.registerWorkflow(perform, { name: WORKFLOW });
    await DBOS.launch();
    await DBOS.registerQueue(QUEUE, {
      workerConcurrency: concurrency,
      minPollingIntervalMs: POLL_MS,
      onConflict: 'always_update',
    });
    return () => DBOS.shutdown();
  },
};
