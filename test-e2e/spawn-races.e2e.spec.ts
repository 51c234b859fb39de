import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectLink } from '#nats';
import { Database } from '#postgres';
import { LossyProxy, waitUntil } from '#testing';
import { putBehindProxy, type BehindProxy } from './support/behind-proxy.js';
import { EFFECTS, holdAtEffect, losesOrders } from './support/kill-points.js';
import type { Route, StrictFacts, Wire } from './support/spawn-caller.js';
import type { SpawnFixture } from './support/spawn-fixture.js';
import { IMPATIENT } from './support/spawn-nodes.js';
import { SpawnScene, type Left } from './support/spawn-scene.js';

/** Strict spawns that are asked for by many, time out, lose their node, or find it changed. */
describe('a strict spawn', () => {
  let scene: SpawnScene;
  let fixture: SpawnFixture;
  beforeAll(async () => {
    scene = await SpawnScene.start(IMPATIENT, { reconciler: 2 });
    ({ fixture } = scene);
  }, 120_000);
  afterEach(() => scene.settle(), 90_000);
  afterAll(() => scene?.destroy(), 60_000);

  describe('whose node is lost', () => {
    it('after its claim is unknown, and holds its place until an operator frees it @FM-93 @SP-33 @SP-72 @SP-77', async () => {
      const key = randomUUID();
      const facts = { task: fixture.task() };
      const lost = scene.node.proxy.lost;
      scene.node.proxy.lose(({ payload }) => payload.includes('"granted"'));
      const spawnId = (await fixture.caller.insist('invoke', key, facts)).view.invocation_id;
      await waitUntil('the claim to be granted', () => scene.node.proxy.lost > lost);
      await scene.node.kill();
      await scene.until(spawnId, 'failed');
      const told = { status: 'failed', failure_code: 'spawn_outcome_unknown' };
      for (const route of ['invoke', 'replay'] as const)
        expect(await scene.repeat({ key, facts }, route)).toMatchObject({
          replayed: true,
          view: told,
        });
      expect(await scene.standing(spawnId)).toEqual({ status: 'failed', held: true, frames: 1 });
      expect(await fixture.resolve(spawnId, 'free')).toBe(200);
      await waitUntil('its place to be free', async () => !(await scene.standing(spawnId)).held);
      expect(await scene.count(spawnId, 'SpawnLateEvidenceRecorded')).toBe(0);
      scene.node.proxy.deliverAll();
      scene.node.start();
      await waitUntil(
        'its node to be back, and to say that nothing was started',
        async () => (await scene.count(spawnId, 'SpawnLateEvidenceRecorded')) === 1,
      );
      await scene.settle();
      expect((await fixture.spawn(spawnId)).lateAgent).toBe('gone');
      expect(await fixture.agentsOf(spawnId)).toBe(0);
      expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
      expect((await scene.repeat({ key, facts }, 'replay')).view).toMatchObject(told);
    }, 90_000);

    it('with an agent of which nobody was told is unknown; its return shows the agent: stopped, or adopted @FM-93 @SP-77', async () => {
      scene.commands.proxy.lose(({ subject }) => subject.startsWith('hf.cmd.spawns.report.'));
      const [adopted, stopped] = [await scene.invoke(), await scene.invoke()];
      for (const spawnId of [adopted, stopped])
        await waitUntil('its agent', async () => (await fixture.agentsOf(spawnId)) === 1);
      await scene.node.kill();
      scene.commands.proxy.deliverAll();
      for (const spawnId of [adopted, stopped]) await scene.until(spawnId, 'failed');
      scene.node.start();
      for (const spawnId of [adopted, stopped])
        await fixture.until(spawnId, 'seen alive', ({ lateAgent }) => lateAgent === 'lives');
      expect(await fixture.resolve(adopted, 'adopt')).toBe(200);
      expect(await fixture.resolve(stopped, 'stop')).toBe(200);
      await waitUntil(
        'the place of the one that is stopped',
        async () => !(await scene.standing(stopped)).held,
      );
      await waitUntil(
        'the other place to be its agent’s',
        async () => (await scene.count(adopted, 'SlotOccupied')) === 1,
      );
      await scene.settle();
      for (const spawnId of [adopted, stopped]) {
        expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
        expect((await fixture.spawn(spawnId)).failure?.code).toBe('spawn_outcome_unknown');
      }
    }, 90_000);
  });

  it('that its node does not take in time is revoked; the order that comes after all starts nothing @FM-94 @SP-71', async () => {
    scene.node.proxy.lose(losesOrders);
    const spawnId = await scene.invoke();
    expect((await scene.until(spawnId, 'failed')).failure?.code).toBe('never_received');
    expect(await scene.reasonsOf(spawnId, 'SpawnDispatchRevoked')).toEqual([
      'node builder did not take it in time',
    ]);
    expect(await fixture.broker.ordersOpenFor('n1')).toBe(1);
    const heard = scene.heardOfOrder(spawnId);
    scene.node.proxy.deliverAll();
    expect(await heard()).toContain('"kind":"not-started"');
    await fixture.untilFree('n1');
    const { frames } = await scene.standing(spawnId);
    expect([frames, await fixture.agentsOf(spawnId)]).toEqual([1, 0]);
    expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
  }, 90_000);

  it('that holds a place, was never sent and is too old expires once, and gives it back once @FM-97 @SP-75', async () => {
    const { spawnId } = await scene.killedAfter('reservation');
    const { claimedAt } = await fixture.spawn(spawnId);
    await waitUntil(
      'its time to be up',
      () => Date.now() > claimedAt + IMPATIENT.neverDispatchedMs,
    );
    scene.commands.start();
    scene.sagas.signal('SIGCONT');
    expect((await scene.until(spawnId, 'failed')).failure?.code).toBe('never_dispatched_expired');
    await scene.settle();
    expect(await scene.count(spawnId, 'SpawnExpired')).toBe(1);
    expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
    expect((await scene.standing(spawnId)).frames).toBe(0);
  }, 90_000);

  it('that nobody has asked for, or somebody else, is not found by a replay, and is not made by it @FM-105 @SP-02 @SP-18 @SP-67 @SP-70', async () => {
    const others = await fixture.otherCaller();
    const key = randomUUID();
    const spawnId = (await fixture.caller.insist('invoke', key, { task: 'none' })).view
      .invocation_id;
    await scene.settle();
    const end = await fixture.stream.end();
    for (const wire of ['http', 'nats'] as const) {
      const unknown = await fixture.caller[wire]('replay', randomUUID(), null);
      expect(unknown).toMatchObject({
        code: 'invocation_not_found',
        problem: { code: 'invocation_not_found', retryable: false },
      });
      if (wire === 'http') expect(unknown.status).toBe(404);
      // Word for word: nothing tells somebody else's key from one that was never used.
      expect(await others[wire]('replay', key, null)).toEqual(unknown);
    }
    expect(await fixture.stream.end()).toBe(end);
    await scene.isStartedOnce(spawnId);
  });

  it('that was sent, is completed or has failed is told as it was stored, whatever its node is called now @FM-106 @FM-107 @SP-64 @SP-65 @SP-66', async () => {
    const call = async (): Promise<Pick<Left, 'key' | 'facts'> & { readonly spawnId: string }> => {
      const [key, facts] = [randomUUID(), { task: fixture.task() }];
      const { view } = await fixture.caller.insist('invoke', key, facts);
      return { key, facts, spawnId: view.invocation_id };
    };
    const completed = await call();
    await fixture.untilStarted(completed.spawnId);
    scene.node.proxy.lose(losesOrders);
    const failed = await call();
    await scene.until(failed.spawnId, 'failed');
    scene.sagas.signal('SIGSTOP'); // The third one stays as it is.
    const dispatched = await call();
    const calls = { completed, failed, dispatched };
    const told = (route: Route) =>
      Promise.all(Object.values(calls).map((one) => scene.repeat(one, route)));
    const asStored = Object.entries(calls).map(([status, { spawnId }]) => ({
      status: 201,
      replayed: true,
      view: { invocation_id: spawnId, status, handler_node_name: 'builder' },
    }));
    const before = await told('replay');
    expect(before).toMatchObject(asStored);
    expect(await told('invoke')).toEqual(before);
    await scene.renameNode('renamed');
    try {
      for (const route of ['invoke', 'replay'] as const) {
        const after = await told(route);
        expect(after).toMatchObject(asStored);
        expect(after).toEqual(before);
      }
      const anew = await fixture.caller.http('invoke', randomUUID(), dispatched.facts);
      expect(anew).toMatchObject({ status: 409, code: 'node_target_mismatch' });
      expect((await scene.standing(dispatched.spawnId)).frames).toBe(1);
    } finally {
      await scene.renameNode('builder');
    }
  }, 90_000);

  it('is taken while the lease of its node lives, whatever the read model says, and refused when it does not @FM-108 @SP-35', async () => {
    fixture.stack.kill('projector', 'SIGSTOP');
    const database = await Database.open({
      url: fixture.stack.databaseUrl,
      applicationName: 'test',
      entities: [],
      onProblem: () => undefined,
    });
    const sayOfNode = (membership: string): Promise<unknown> =>
      database.sql.execute(`UPDATE node_view SET membership = $1 WHERE node_id = 'n1'`, [
        membership,
      ]);
    try {
      await sayOfNode('left');
      await scene.isStartedOnce(await scene.invoke());
      await sayOfNode('member');
      await scene.node.kill();
      const refused = await waitUntil('its lease to expire', async () => {
        const answer = await fixture.caller.http('invoke', randomUUID(), { task: 'none' });
        return answer.code === 'node_offline' && answer;
      });
      expect(refused.status).toBe(409);
    } finally {
      await database.close();
      fixture.stack.kill('projector', 'SIGCONT');
    }
  }, 90_000);

  describe('whose answer was lost', () => {
    const changes: Readonly<Partial<StrictFacts>>[] = [
      { task: 'another task' },
      { agent_name: 'another' },
      { harness: 'gated' },
      { directory: '/tmp' },
      { verify_ready: true },
      { node_id: 'n2' },
      { node_name: 'another' },
    ];

    it('on its way over NATS is replayed, wherever its caller works now; with any other fact it is refused @FM-110 @SP-16 @SP-17', async () => {
      const proxy = await LossyProxy.start(fixture.stack.natsUrlFor('gateway'));
      const url = new URL(fixture.stack.natsUrlFor('gateway'));
      url.port = new URL(proxy.url).port;
      const door = await connectLink({ url: url.href, name: 'test-lossy' });
      try {
        const key = randomUUID();
        const facts = { task: fixture.task(), worker_cwd: '/before' };
        proxy.lose(({ payload }) => payload.includes('invocation_id'));
        const lost = fixture.caller.nats('invoke', key, facts, { door, timeoutMs: 2_000 });
        await expect(lost).rejects.toThrow('not answered');
        expect(proxy.lost).toBe(1);
        const spawnId = (await scene.idOfKey(key)) ?? '';
        const again = await fixture.caller.http('invoke', key, { ...facts, worker_cwd: '/after' });
        expect(again).toMatchObject({ replayed: true, view: { invocation_id: spawnId } });
        await scene.isStartedOnce(spawnId);
        await scene.settle();
        const end = await fixture.stream.end();
        for (const [at, change] of changes.entries()) {
          const wire = at % 2 === 0 ? 'http' : 'nats';
          const changed = await fixture.caller[wire]('invoke', key, { ...facts, ...change });
          expect([change, changed]).toMatchObject([
            change,
            { status: 409, code: 'idempotency_conflict' },
          ]);
        }
        expect(await fixture.stream.end()).toBe(end); // Nothing was written.
        await scene.isStartedOnce(spawnId);
      } finally {
        await door.close();
        await proxy.close();
      }
    }, 90_000);

    it('over HTTP, because the gateway was killed, is replayed @FM-110 @SP-65', async () => {
      const [key, facts] = [randomUUID(), { task: fixture.task() }];
      const sent = holdAtEffect(scene.commands.proxy, EFFECTS.frame);
      const asked = fixture.caller.http('invoke', key, facts).catch(() => 'no answer');
      await sent();
      fixture.stack.kill('gateway', 'SIGKILL');
      scene.commands.proxy.deliverAll();
      expect(await asked).toBe('no answer');
      const { replayed, view } = await fixture.caller.insist('invoke', key, facts);
      expect(replayed).toBe(true);
      await scene.isStartedOnce(view.invocation_id);
    }, 90_000);
  });
});

const CALLS = 50;

/** More than one process decides on the calls of one key. */
describe('a strict spawn whose calls go to two processes', () => {
  let scene: SpawnScene;
  let second: BehindProxy;
  beforeAll(async () => {
    scene = await SpawnScene.start(IMPATIENT, { commands: 2 });
    second = await putBehindProxy(scene.fixture, 'commands-2');
    const given = callsTo(second.proxy, 'replay');
    await waitUntil('the second one to be given calls', async () => {
      // eslint-disable-next-line holdfast/no-silent-catch -- both were started anew: who is not there yet is asked again.
      await scene.fixture.caller.nats('replay', randomUUID(), null).catch(() => undefined);
      return given() > 0;
    });
  }, 120_000);
  afterEach(() => scene.settle(), 90_000);
  afterAll(async () => {
    await second?.close();
    await scene?.destroy();
  }, 60_000);

  it('is one, though fifty ask for it at once, by both routes, over HTTP and NATS @FM-98 @SP-44 @SP-55', async () => {
    const { caller } = scene.fixture;
    const key = randomUUID();
    const facts = { task: scene.fixture.task() };
    const taken = [scene.commands, second].map(({ proxy }) => callsTo(proxy, 'strictInvoke'));
    const ways: readonly [Route, Wire][] = [
      ['invoke', 'http'],
      ['invoke', 'nats'],
      ['replay', 'http'],
      ['replay', 'nats'],
    ];
    const answers = await Promise.all(
      Array.from({ length: CALLS }, (_, call) => {
        const [route, wire] = ways[call % ways.length] ?? ['invoke', 'http'];
        const options = { wire, mayBeMissing: route === 'replay' };
        return caller.insist(route, key, route === 'invoke' ? facts : null, options);
      }),
    );
    const ids = new Set(answers.map(({ view }) => view.invocation_id));
    expect([...ids]).toHaveLength(1);
    expect(answers.filter(({ replayed }) => !replayed).length).toBeLessThanOrEqual(1);
    for (const count of taken) expect(count()).toBeGreaterThan(0);
    for (const spawnId of ids) await scene.isStartedOnce(spawnId);
  }, 90_000);
});

/** How many calls of a command the process behind it has been given since. */
const callsTo = (proxy: LossyProxy, command: 'strictInvoke' | 'replay'): (() => number) => {
  let calls = 0;
  proxy.lose(({ subject }) => {
    if (subject === `hf.cmd.spawns.${command}`) calls += 1;
    return false;
  });
  return () => calls;
};
