import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '#testing/wait-until';
import { RawNats } from './raw-nats.fixture.js';
import { startLocalStack, type LocalStack } from './local-stack.js';
import { prepareNatsCluster } from './nats-cluster.js';
import { NATS_ADMIN } from './stores.js';

describe('a local stack with three brokers', () => {
  let folder: string;
  let home: string;
  let stack: LocalStack;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-cluster-'));
    home = join(folder, 'home');
    stack = await startLocalStack({ home, services: 'none', brokers: 3 });
  }, 120_000);
  afterAll(async () => {
    await stack?.destroy();
    await rm(folder, { recursive: true, force: true });
  });

  /** Asks one of them. */
  const ask = async (at: number, subject: string, body = ''): Promise<string> => {
    const url = stack.natsUrlFor(NATS_ADMIN).split(',')[at] ?? '';
    const raw = await RawNats.open(url);
    const answer = await raw.request(subject, body);
    raw.close();
    return answer;
  };
  const declaration = JSON.stringify({ name: 'KEPT', subjects: ['kept.>'], num_replicas: 3 });

  it('keeps copies of a stream on all of them, takes writes without one, and is the same after a restart', async () => {
    expect(Object.keys(stack.pids()).filter((name) => name.startsWith('nats'))).toEqual([
      'nats-server-1',
      'nats-server-2',
      'nats-server-3',
    ]);
    // Right after their start they do not know each other yet.
    const created = () => ask(0, '$JS.API.STREAM.CREATE.KEPT', declaration);
    await waitUntil('the stream', async () => (await created()).includes('"did_create":true'));
    await stack.stopOne('nats-server-2');
    const written = async (): Promise<boolean> =>
      (await ask(2, 'kept.one', 'x')).includes('"seq":1');
    await waitUntil('an acknowledgement by two of three', written);
    await stack.stop();
    stack = await startLocalStack({ home, services: 'none', brokers: 3 });
    await waitUntil('all three to hold it', async () => {
      const info = await ask(1, '$JS.API.STREAM.INFO.KEPT');
      return info.includes('"last_seq":1') && info.split('"current":true').length === 3;
    });
  }, 180_000);

  it('refuses a nats-server that is too old for that', async () => {
    const binary = { path: '/bin/false', version: '2.10.27' };
    const prepared = prepareNatsCluster({
      folder: join(folder, 'old'),
      size: 3,
      users: [],
      binary,
    });
    await expect(prepared).rejects.toThrow('2.10.27 is too old for a cluster, which needs 2.11');
  });
});
