import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { NATS_SERIES, natsServerUnderTest, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import {
  TopologyMismatch,
  assertTopology,
  durabilityOf,
  type TopologyDifference,
} from './topology-check.js';
import { declaredStreams } from './topology.js';

const options = { replicas: 1, patienceMs: 200 };

describe.each(NATS_SERIES)('the topology on nats-server %s', (series) => {
  let server: NatsServerUnderTest;
  let link: NatsLink;
  let manager: JetStreamManager;
  beforeAll(async () => {
    server = await natsServerUnderTest({ series });
    link = await connectLink({ url: server.url, name: 'test' });
    manager = await jetstreamManager(link.connection);
  }, 120_000);
  afterAll(async () => {
    await link?.close();
    await server?.stop();
  });
  afterEach(async () => {
    for (const { name } of declaredStreams(options))
      await manager.streams.delete(name).catch((error: unknown) => {
        if (!(error instanceof JetStreamApiError)) throw error; // Not every test makes all of them.
      });
  });

  const differences = async (): Promise<readonly TopologyDifference[]> => {
    const refusal = await assertTopology(link, { ...options, mode: 'check' }).catch(
      (error: unknown) => error,
    );
    return refusal instanceof TopologyMismatch ? refusal.differences : [];
  };

  it('is made once, and is then found as declared', async () => {
    const made = await assertTopology(link, { ...options, mode: 'create' });
    expect(made).toStrictEqual({
      durability: 'process-death-only',
      durabilitySource: 'observed',
      serverVersion: server.server.version,
      replicas: 1,
      warnings: series === '2.9' ? [expect.stringContaining('sync_interval')] : [],
    });
    expect(await assertTopology(link, { ...options, mode: 'create' })).toStrictEqual(made);
    expect(await assertTopology(link, { ...options, mode: 'check' })).toStrictEqual(made);
  });

  it('is refused when a stream is missing', async () => {
    await assertTopology(link, { ...options, mode: 'create' });
    await manager.streams.delete('HF_FRAMES');
    expect(await differences()).toStrictEqual([
      {
        field: 'HF_FRAMES',
        declared: ['hf.frame.*.*.*.*.*'],
        found: undefined,
        remedy: expect.any(String),
      },
    ]);
  });

  it('is waited for when another process is about to make it', async () => {
    const checking = assertTopology(link, { replicas: 1, mode: 'check', patienceMs: 10_000 });
    await assertTopology(link, { ...options, mode: 'create' });
    expect((await checking).replicas).toBe(1);
  });

  it.each<[string, Partial<StreamConfig>, string]>([
    ['old messages are discarded', { discard: 'old' }, 'discard'],
    ['messages may be deleted', { deny_delete: false }, 'deny_delete'],
    ['subjects may be purged', { deny_purge: false }, 'deny_purge'],
    ['rollups are allowed', { allow_rollup_hdrs: true, deny_purge: false }, 'allow_rollup_hdrs'],
    ['it is kept in memory', { storage: 'memory' }, 'storage'],
    ['it has an age limit', { max_age: 3_600_000_000_000 }, 'max_age'],
    ['it has a size limit', { max_bytes: 1_000_000 }, 'max_bytes'],
    ['it has a message limit', { max_msgs: 10 }, 'max_msgs'],
    ['acknowledged messages are removed', { retention: 'workqueue' }, 'retention'],
    ['nothing is acknowledged', { no_ack: true }, 'no_ack'],
    ['its messages are too small', { max_msg_size: 1_000 }, 'max_msg_size'],
    ['it has other subjects', { subjects: ['hf.ev.run.*.*'] }, 'subjects'],
  ])('is refused when %s', async (_what, change, field) => {
    await assertTopology(link, { ...options, mode: 'create' });
    await manager.streams.delete('HF_EVENTS');
    const declared = declaredStreams(options)[0]!.config;
    await manager.streams.add({ ...declared, ...change });
    const found = (await differences()).map((difference) => difference.field);
    expect(found).toContain(`HF_EVENTS.${field}`);
    expect(found.every((name) => name.startsWith('HF_EVENTS.'))).toBe(true);
  });

  it('only warns when direct reads are off', async () => {
    await assertTopology(link, { ...options, mode: 'create' });
    await manager.streams.update('HF_EVENTS', { allow_direct: false });
    const { warnings } = await assertTopology(link, { ...options, mode: 'check' });
    expect(warnings).toContainEqual(expect.stringContaining('HF_EVENTS has no direct reads'));
  });

  it('is refused for a cluster of servers that are too old, unless told otherwise', async () => {
    const refusal = await assertTopology(link, { ...options, replicas: 3, mode: 'check' }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(TopologyMismatch);
    const fields = (refusal as TopologyMismatch).differences.map(({ field }) => field);
    expect(fields.includes('server.version')).toBe(series !== '2.15');
  });
});

describe('the durability in force', () => {
  it('is what the configuration declares, or what follows from the replicas', () => {
    expect(durabilityOf({ replicas: 1 })).toStrictEqual({
      durability: 'process-death-only',
      durabilitySource: 'observed',
    });
    expect(durabilityOf({ replicas: 3 })).toStrictEqual({
      durability: 'replicated',
      durabilitySource: 'observed',
    });
    expect(durabilityOf({ replicas: 1, declaredSync: 'always' })).toStrictEqual({
      durability: 'synced',
      durabilitySource: 'declared',
    });
  });
});
