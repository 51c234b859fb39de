import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LossyProxy, natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import { linkTo } from './jetstream-under-test.fixture.js';
import { LeaseJudge, LeaseKeeper, type LeaseVerdict } from './leases.js';

const windows = { leaseMs: 600, renewalMs: 200 };

let server: NatsServerUnderTest;
let link: NatsLink;
beforeAll(async () => {
  server = await natsServerUnderTest();
  link = await linkTo(server.url);
}, 120_000);
afterAll(async () => {
  await link?.close();
  await server?.stop();
});

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

let names = 0;
const judgeOn = (on: NatsLink): LeaseJudge => {
  const judge = new LeaseJudge(on, `observer-${String((names += 1))}`, windows);
  judge.start();
  stops.push(async () => judge.stop());
  return judge;
};

const keeperOf = (node: string, body: () => object = () => ({})): LeaseKeeper => {
  const keeper = LeaseKeeper.forNode(link, { workspace: 'main', node }, windows, body);
  keeper.start();
  stops.push(async () => keeper.stop());
  return keeper;
};

const someNode = (): string => `n-${String((names += 1))}`;

const until = async (
  judge: LeaseJudge,
  node: string,
  kind: LeaseVerdict['kind'],
): Promise<LeaseVerdict> =>
  waitUntil(`the verdict is ${kind}`, async () => {
    const verdict = await judge.judge('main', node);
    return verdict.kind === kind && verdict;
  });

describe('a lease', () => {
  it('is alive while it is renewed, and says what the node said last', async () => {
    const node = someNode();
    let renewals = 0;
    keeperOf(node, () => ({ renewals: (renewals += 1) }));
    const judge = judgeOn(link);
    await waitUntil('it is renewed repeatedly', () => renewals >= 4);
    const verdict = await until(judge, node, 'alive');
    expect(verdict).toMatchObject({ kind: 'alive', body: { renewals: expect.any(Number) } });
    expect('ageMs' in verdict && verdict.ageMs).toBeLessThan(windows.leaseMs);
  });

  it('that was never renewed is not an expired one', async () => {
    expect(await until(judgeOn(link), someNode(), 'never')).toStrictEqual({ kind: 'never' });
  });

  it('expires when it is no longer renewed, by the clock of the broker', async () => {
    const node = someNode();
    const keeper = keeperOf(node, () => ({ last: 'words' }));
    const judge = judgeOn(link);
    await until(judge, node, 'alive');
    await keeper.stop();
    const verdict = await until(judge, node, 'expired');
    expect(verdict).toMatchObject({ body: { last: 'words' } });
    expect('ageMs' in verdict && verdict.ageMs).toBeGreaterThanOrEqual(windows.leaseMs);
  });

  it('lives again when its node comes back', async () => {
    const node = someNode();
    const judge = judgeOn(link);
    await keeperOf(node).stop();
    await until(judge, node, 'expired');
    keeperOf(node);
    await until(judge, node, 'alive');
  });
});

describe('an observer', () => {
  it('does not call a lease expired before it was itself connected for a whole lease', async () => {
    const node = someNode();
    await keeperOf(node).stop();
    await until(judgeOn(link), node, 'expired');
    const newcomer = await linkTo(server.url);
    stops.push(async () => newcomer.close());
    const judge = judgeOn(newcomer);
    const verdicts: LeaseVerdict[] = [];
    await waitUntil('it has an opinion', async () => {
      verdicts.push(await judge.judge('main', node));
      return verdicts.at(-1)!.kind === 'expired';
    });
    expect(verdicts[0]).toStrictEqual({ kind: 'cannot-tell', why: expect.any(String) });
  });

  it('that lost its own connection can not tell, and observes anew after it', async () => {
    const proxy = await LossyProxy.start(server.url);
    stops.push(async () => proxy.close());
    const own = await connectLink({ url: proxy.url, name: 'observer', reconnectWaitMs: 20 });
    stops.push(async () => own.close());
    const judge = judgeOn(own);
    const node = someNode();
    const keeper = keeperOf(node);
    await until(judge, node, 'alive');
    await keeper.stop();
    await until(judge, node, 'expired');
    proxy.cut();
    await waitUntil('the break is noticed', () => !own.isConnected || own);
    const after = await waitUntil('it can judge again', async () => {
      const verdict = await judge.judge('main', node);
      return verdict.kind === 'cannot-tell' && verdict;
    });
    expect(after.kind).toBe('cannot-tell');
    await until(judge, node, 'expired');
  });

  it('that hears nothing from the broker can not tell', async () => {
    const proxy = await LossyProxy.start(server.url);
    stops.push(async () => proxy.close());
    const own = await connectLink({ url: proxy.url, name: 'observer' });
    stops.push(async () => own.close());
    const judge = judgeOn(own);
    const node = someNode();
    keeperOf(node);
    await until(judge, node, 'alive');
    proxy.lose(() => true);
    await until(judge, node, 'cannot-tell');
    proxy.deliverAll();
    await until(judge, node, 'alive');
  });
});
