import { describe, expect, it } from '@jest/globals';
import type { Commit, Delivery, SubscriptionFeed } from '#event-store';
import { Metrics, ReadinessBoard, createLogger } from '#platform';
import { SagaHost } from './index.js';

type Handle = Parameters<SubscriptionFeed['subscribe']>[0]['handle'];

const commitOf = (id: string): Commit => ({
  ref: { aggregate: 'run', workspace: 'main', id },
  revision: 7,
  previous: 0,
  commandId: 'c',
  bodyHash: 'h',
  events: [],
  metadata: { command: 'C', actor: 'a' },
  schema: 1,
  storedAt: 0,
});

/** A host whose deliveries the test makes. */
const hosted = async (handle: (commit: Commit) => Promise<void>) => {
  let deliver: Handle | undefined;
  const readiness = new ReadinessBoard();
  const host = new SagaHost(
    {
      subscribe: async (options) => {
        deliver = options.handle;
        return { stop: async () => undefined };
      },
    },
    {
      durable: 'saga-runs',
      aggregate: 'run',
      handle,
      logger: createLogger({ service: 'sagas', instance: 'i', logLevel: 'silent' }),
      metrics: new Metrics('sagas'),
      readiness,
    },
  );
  await host.start();
  /** What became of one delivery: acknowledged, or asked for again after so many ms. */
  const outcome = async (id: string, deliveryCount: number): Promise<'done' | number> => {
    let became: 'done' | number = NaN;
    const delivery: Delivery = {
      commit: commitOf(id),
      deliveryCount,
      done: async () => {
        became = 'done';
      },
      later: (delayMs) => {
        became = delayMs;
      },
    };
    await deliver!(delivery);
    return became;
  };
  return { host, readiness, outcome };
};

describe('a commit that is handed to a saga', () => {
  it('is acknowledged when its aggregate has been moved on, and not before', async () => {
    const order: string[] = [];
    const { outcome } = await hosted(async () => void order.push('moved'));
    expect(await outcome('a', 1)).toBe('done');
    expect(order).toEqual(['moved']);
  });

  it('comes again after a failure, each time later, and at the tenth its aggregate is parked', async () => {
    let failing = true;
    let tries = 0;
    const { outcome, readiness } = await hosted(async ({ ref }) => {
      if (ref.id !== 'bad') return;
      tries += 1;
      if (failing) throw new Error('no');
    });
    expect(await outcome('bad', 1)).toBe(100);
    expect(await outcome('bad', 2)).toBe(200);
    expect(await outcome('bad', 9)).toBe(25_600);
    expect(await outcome('bad', 10)).toBe(30_000);
    expect((await readiness.look()).checks['saga:saga-runs']).toEqual({
      ok: true,
      detail: { parked: 1, named: ['main/bad'] },
    });
    // While it is parked its later commits wait behind it, unlooked at; others go on.
    failing = false;
    const before = tries;
    expect(await outcome('bad', 1)).toBeGreaterThan(29_000);
    expect(tries).toBe(before);
    expect(await outcome('good', 1)).toBe('done');
  });
});
