import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';

const STREAM = 'BENCH';

/**
 * What is compared with: the same broker, disk and database, used directly.
 *
 * @typedef {object} Raw
 * @property {() => Promise<unknown>} publish one message of the size and with the headers of a submission's event
 * @property {() => Promise<unknown>} sync appends as many bytes to a file, and waits for the disk
 * @property {() => Promise<unknown>} upsert one row of a table
 */

/**
 * @template T
 * @param {import('./stack.mjs').System} system
 * @param {{ readonly headers: ReadonlyMap<string, string>, readonly bytes: number }} like the message that a submission leaves in the stream.
 * @param {(raw: Raw) => Promise<T>} act
 * @returns {Promise<T>}
 */
export const withRaw = async ({ link, database, folder }, like, act) => {
  const manager = await jetstreamManager(link.connection);
  const { config } = await manager.streams.info('HF_EVENTS');
  // A stream of its own, with the same settings: what is no commit stops every projection of the event stream.
  await manager.streams.add({ ...config, name: STREAM, subjects: ['bench.>'], sealed: false });
  await database.query(
    'CREATE TABLE IF NOT EXISTS bench (id text PRIMARY KEY, status text, changed_at timestamptz)',
  );
  const client = jetstream(link.connection);
  const data = Buffer.alloc(like.bytes, 'x');
  const file = await open(join(folder, 'synced'), 'a');
  try {
    return await act({
      publish: () => {
        const sent = headers();
        for (const [name, value] of like.headers) sent.set(name, value);
        sent.set('Nats-Msg-Id', randomUUID());
        sent.set('Nats-Expected-Last-Subject-Sequence', '0');
        sent.set('Nats-Expected-Stream', STREAM);
        return client.publish(`bench.main.${randomUUID()}`, data, { headers: sent });
      },
      sync: async () => {
        await file.write(data);
        await file.datasync();
      },
      upsert: () =>
        database.query(
          `INSERT INTO bench VALUES ($1, 'queued', now())
           ON CONFLICT (id) DO UPDATE SET status = excluded.status, changed_at = excluded.changed_at`,
          [randomUUID()],
        ),
    });
  } finally {
    await file.close();
    await database.query('DROP TABLE bench');
  }
};

/** The first event of a run, as the broker holds it. @param {import('./stack.mjs').System} system @param {string} runId */
export const submissionOf = async ({ link }, runId) => {
  const manager = await jetstreamManager(link.connection);
  const stored = await manager.direct.getMessage('HF_EVENTS', {
    seq: 1,
    next_by_subj: `hf.ev.run.main.${runId}`,
  });
  if (stored === null) throw new Error(`run ${runId} is not in the stream`);
  const names = stored.header.keys();
  return {
    headers: new Map([...names].map((name) => [name, stored.header.get(name)])),
    bytes: stored.data.byteLength,
  };
};
