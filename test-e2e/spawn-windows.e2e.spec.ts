import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpawnView } from '#contracts';
import { RequestClient } from '#nats';
import { waitUntil } from '#testing';
import { holdAtEffect, killAtEffect, losesOrders } from './support/kill-points.js';
import type { Route } from './support/spawn-caller.js';
import type { SpawnFixture } from './support/spawn-fixture.js';
import { PATIENT } from './support/spawn-nodes.js';
import { SpawnScene, type Effect } from './support/spawn-scene.js';

/** Strict spawns whose processes are killed between two effects, by SIGKILL, at the one point that is meant. */
describe('a strict spawn', () => {
  let scene: SpawnScene;
  let fixture: SpawnFixture;
  beforeAll(async () => {
    scene = await SpawnScene.start(PATIENT);
    ({ fixture } = scene);
  }, 120_000);
  afterEach(() => scene.settle(), 90_000);
  afterAll(() => scene?.destroy(), 60_000);

  const pending = { status: 'pending', held: false, frames: 0 };
  const reserved = { ...pending, held: true };
  const dispatched = { ...reserved, status: 'dispatched' };
  /** How a spawn stands whose mover was killed after an effect. */
  const leftAfter: Readonly<Record<Effect, object>> = {
    claim: pending,
    reservation: reserved,
    dispatch: dispatched,
    frame: { ...dispatched, frames: 1 },
  };

  describe('whose caller’s process was killed', () => {
    it.each<[Effect, Route, string]>([
      ['claim', 'invoke', '@FM-87 @SP-40'],
      ['claim', 'replay', '@FM-88 @SP-40'],
      ['reservation', 'invoke', '@FM-89 @FM-91 @SP-43'],
      ['reservation', 'replay', '@FM-91 @SP-43'],
      ['dispatch', 'invoke', '@FM-92 @SP-54'],
      ['dispatch', 'replay', '@FM-92 @SP-62'],
      ['frame', 'invoke', '@FM-92 @SP-61'],
      ['frame', 'replay', '@FM-92 @SP-62'],
    ])(
      'after the %s is resumed by its key through %s, with one place, one order and one agent %s',
      async (effect, route) => {
        const spawn = await scene.killedAfter(effect);
        const { spawnId } = spawn;
        expect(await scene.standing(spawnId)).toEqual(leftAfter[effect]);
        scene.commands.start();
        expect(await scene.repeat(spawn, route)).toMatchObject({
          replayed: true,
          view: {
            invocation_id: spawnId,
            status: expect.stringMatching(/dispatched|completed/),
            handler_node_id: 'n1',
            dispatched_node_id: 'n1',
          },
        });
        for (const again of ['invoke', 'replay'] as const)
          expect((await scene.repeat(spawn, again)).view.invocation_id).toBe(spawnId);
        // No call makes a second one, nor the first one where the dispatch was committed by a process that died.
        expect((await scene.standing(spawnId)).frames).toBe(effect === 'dispatch' ? 0 : 1);
        scene.sagas.signal('SIGCONT');
        await scene.isStartedOnce(spawnId);
      },
      90_000,
    );

    it.each<[Effect, string]>([
      ['claim', '@FM-89'],
      ['reservation', '@FM-89'],
      ['dispatch', '@FM-92'],
      ['frame', '@FM-92'],
    ])(
      'after the %s is moved on by the sagas when nobody asks again %s',
      async (effect) => {
        const { spawnId } = await scene.killedAfter(effect);
        expect(await scene.standing(spawnId)).toEqual(leftAfter[effect]);
        scene.commands.start();
        scene.sagas.signal('SIGCONT');
        await scene.isStartedOnce(spawnId);
      },
      90_000,
    );

    it.each<[Effect, number, string]>([
      ['reservation', 1, '@FM-91'],
      ['dispatch', 2, '@FM-92'],
      ['frame', 3, '@FM-92'],
    ])(
      'is moved on although the sagas are killed as well, after the %s, their effect %i %s',
      async (effect, at) => {
        const { spawnId } = await scene.killedAfter('claim');
        expect(await scene.standing(spawnId)).toEqual(leftAfter.claim);
        await killAtEffect(scene.sagas, at, () => {
          scene.sagas.signal('SIGCONT');
          return scene.until(spawnId, 'completed');
        });
        expect(await scene.standing(spawnId)).toEqual(leftAfter[effect]);
        scene.commands.start();
        scene.sagas.start();
        await scene.isStartedOnce(spawnId);
      },
      90_000,
    );

    it('together with everything else, broker and Postgres included, is resumed on the same storage @FM-109 @SP-80', async () => {
      const spawn = await scene.killedAfter('claim');
      expect(await scene.standing(spawn.spawnId)).toEqual(pending);
      expect(await Promise.all([scene.sagas.kill(), scene.node.kill()])).toEqual([true, true]);
      const others = Object.keys(fixture.stack.pids());
      expect(others).toEqual(expect.arrayContaining(['nats-server', 'postgres', 'gateway']));
      const found = others.filter((name) => fixture.stack.kill(name, 'SIGKILL'));
      expect(found).toEqual(others);
      for (const service of [scene.commands, scene.sagas, scene.node]) service.start();
      const { view } = await scene.repeat(spawn, 'invoke');
      expect(view.invocation_id).toBe(spawn.spawnId);
      await scene.isStartedOnce(spawn.spawnId);
    }, 120_000);
  });

  it('whose mover was frozen in one round and wakes in the next has the place of that one @FM-102 @SP-49', async () => {
    const key = randomUUID();
    const facts = { task: fixture.task(), harness: 'gated' };
    await scene.sagas.kill(); // They would dispatch it before its harness is known as not ready.
    // Whoever carries the call out has its place, and is frozen before it hears of that.
    const placed = holdAtEffect(scene.commands.proxy, 2);
    const answered = fixture.caller.nats('invoke', key, facts, { timeoutMs: 60_000 });
    await placed();
    scene.commands.signal('SIGSTOP');
    scene.commands.proxy.deliverAll();
    const spawnId = (await scene.idOfKey(key)) ?? '';
    await fixture.makeReady('n1', false);
    scene.sagas.start();
    await waitUntil(
      'the round to be given up',
      async () => (await scene.count(spawnId, 'SlotReleased')) === 1,
    );
    await fixture.makeReady('n1', true);
    await scene.until(spawnId, 'dispatched');
    scene.commands.signal('SIGCONT');
    expect((await answered).view).toMatchObject({ invocation_id: spawnId, dispatch_generation: 1 });
    await scene.isStartedOnce(spawnId, { places: 2 });
    expect((await fixture.spawn(spawnId)).dispatch?.round).toBe(2);
    expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
  }, 90_000);

  it('that can’t be stored is refused as such: unclaimed, or claimed without a place; both go on under their keys @FM-90 @SP-38', async () => {
    scene.sagas.signal('SIGSTOP');
    const [claimed, unclaimed] = [randomUUID(), randomUUID()];
    const facts = { task: fixture.task() };
    await fixture.broker.leaveRoomFor(1); // For a claim, and not for its reservation.
    const first = fixture.caller.nats('invoke', claimed, facts);
    const spawnId = await waitUntil('the claim', () => scene.idOfKey(claimed));
    const second = fixture.caller.nats('invoke', unclaimed, facts);
    for (const refused of [await first, await second])
      expect(refused).toMatchObject({ status: 503, code: 'unavailable' });
    expect(await scene.idOfKey(unclaimed)).toBeUndefined();
    expect(await scene.standing(spawnId)).toEqual(pending);
    await fixture.broker.leaveRoom();
    scene.sagas.signal('SIGCONT');
    for (const key of [claimed, unclaimed]) {
      const { replayed, view } = await fixture.caller.insist('invoke', key, facts);
      expect(replayed).toBe(key === claimed);
      await scene.isStartedOnce(view.invocation_id);
    }
  }, 90_000);

  describe('whose harness is not ready', () => {
    const unready = 'node builder to be ready for gated';
    const givenUp = { status: 'releasing', held: false, frames: 0 };
    const tokenOf = async (spawnId: string): Promise<string | undefined> =>
      (await fixture.spawn(spawnId)).placement?.token;
    afterEach(() => fixture.makeReady('n1', true));

    it('any more, and must be, is refused; its place is given back, and taken once more when it is ready @FM-99 @SP-45 @SP-50 @SP-59', async () => {
      const spawn = await scene.killedAfter('reservation', {
        harness: 'gated',
        verify_ready: true,
      });
      const { spawnId } = spawn;
      expect(await scene.standing(spawnId)).toEqual(reserved);
      const token = await tokenOf(spawnId);
      expect(token).toEqual(expect.any(String));
      await fixture.makeReady('n1', false);
      scene.commands.start();
      const refused = await scene.refusalOf(spawn);
      expect(refused).toMatchObject({ status: 503, code: 'node_not_ready' });
      expect(await scene.reasonsOf(spawnId, 'SpawnReservationReleaseDecided')).toEqual([unready]);
      expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
      expect(await scene.standing(spawnId)).toEqual(givenUp);
      expect(await tokenOf(spawnId)).toBe(token);
      await fixture.makeReady('n1', true);
      expect((await scene.repeat(spawn, 'invoke')).view.invocation_id).toBe(spawnId);
      scene.sagas.signal('SIGCONT');
      await scene.isStartedOnce(spawnId, { places: 2 });
      expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
      expect(await tokenOf(spawnId)).toBe(token);
    }, 90_000);

    it('any more, and need not be, is pending; its place is given back, and taken once more when it is ready @FM-100 @SP-45 @SP-60', async () => {
      const spawn = await scene.killedAfter('reservation', { harness: 'gated' });
      const { spawnId } = spawn;
      expect(await scene.standing(spawnId)).toEqual(reserved);
      await fixture.makeReady('n1', false);
      scene.commands.start();
      // A call that finds its claim pending waits for a moment, and is told to ask again.
      const refused = await scene.refusalOf(spawn);
      expect(refused).toMatchObject({ status: 503, code: 'idempotency_unavailable' });
      expect(await scene.reasonsOf(spawnId, 'SpawnReservationReleaseDecided')).toEqual([unready]);
      expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
      expect(await scene.standing(spawnId)).toEqual(givenUp);
      const shown = await waitUntil('its place to be shown as given back', async () => {
        const view = await fixture.client.get<SpawnView>(`/v1/spawns/${spawnId}`);
        return view.slot === 'none' && view;
      });
      expect(shown).toMatchObject({ status: 'pending', waitsFor: unready });
      await fixture.makeReady('n1', true);
      expect(await scene.repeat(spawn, 'invoke')).toMatchObject({
        replayed: true,
        view: { invocation_id: spawnId, status: expect.stringMatching(/dispatched|completed/) },
      });
      scene.sagas.signal('SIGCONT');
      await scene.isStartedOnce(spawnId, { places: 2 });
      expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
    }, 90_000);

    it('from the start is pending without a place, says for what it waits, and is started once when it is ready @SP-60', async () => {
      await fixture.makeReady('n1', false);
      const key = randomUUID();
      const facts = { task: fixture.task(), harness: 'gated' };
      const first = await fixture.caller.http('invoke', key, facts);
      expect(first).toMatchObject({
        status: 201,
        view: { status: 'pending', waits_for: unready },
      });
      const spawnId = first.view?.invocation_id ?? '';
      expect(await scene.standing(spawnId)).toEqual(pending);
      await fixture.makeReady('n1', true);
      expect((await scene.repeat({ key, facts }, 'invoke')).view.status).not.toBe('pending');
      await scene.isStartedOnce(spawnId);
    }, 90_000);
  });

  describe('whose node has a twin', () => {
    /** Has the twin start an agent of its own. @returns that one's spawn: the twin could have started another. */
    const twinStartsOne = async (): Promise<string> => {
      const spawnId = await scene.invoke({ node_id: 'n2' });
      await fixture.untilStarted(spawnId);
      await waitUntil(
        'the sagas to have seen to its place',
        async () => (await scene.count(spawnId, 'SlotOccupied')) === 1,
      );
      return spawnId;
    };
    const twinHasOnly = async (spawnId: string, before: readonly string[]): Promise<void> => {
      expect(new Set(await scene.ordersOf('n2'))).toEqual(new Set([...before, spawnId]));
      expect(await fixture.heldOn('n2')).toEqual([spawnId]);
    };

    afterEach(() => scene.serve('n1', 'return'));

    it('waits for its node while that is drained, says so, and is started there once when it is put back; the twin gets nothing @SP-33', async () => {
      const before = await scene.ordersOf('n2');
      await scene.serve('n1', 'drain');
      const key = randomUUID();
      const facts = { task: fixture.task() };
      const first = await fixture.caller.http('invoke', key, facts);
      expect(first).toMatchObject({
        status: 201,
        view: {
          status: 'pending',
          handler_node_id: 'n1',
          dispatched_node_id: null,
          waits_for: 'node builder to be ready for ledger',
        },
      });
      const spawnId = first.view?.invocation_id ?? '';
      const twins = await twinStartsOne();
      const refused = await scene.refusalOf({ key, facts });
      expect(refused).toMatchObject({ status: 503, code: 'idempotency_unavailable' });
      expect(await scene.standing(spawnId)).toEqual(pending);
      await twinHasOnly(twins, before);
      await scene.serve('n1', 'return');
      await scene.isStartedOnce(spawnId);
      await twinHasOnly(twins, before);
    }, 90_000);

    it('is refused and kept while its node is renamed, and goes on when the name is back; the twin, which alone has the name, gets nothing @SP-33', async () => {
      const before = await scene.ordersOf('n2');
      const { spawnId, key, facts } = await scene.killedAfter('claim');
      const claimed = await fixture.eventsOf(spawnId);
      scene.commands.start(); // Nobody asks for it yet, and the sagas are frozen.
      await scene.renameNode('renamed');
      let twins: string;
      try {
        for (const wire of ['http', 'nats'] as const)
          for (const [route, asked] of [['invoke', facts] as const, ['replay', null] as const])
            expect(await fixture.caller[wire](route, key, asked)).toMatchObject({
              status: 409,
              code: 'node_target_mismatch',
            });
        scene.sagas.signal('SIGCONT'); // They find it as well, and may not send it elsewhere either.
        twins = await twinStartsOne();
        expect(await fixture.eventsOf(spawnId)).toEqual(claimed);
        expect(await scene.standing(spawnId)).toEqual(pending);
        await twinHasOnly(twins, before);
      } finally {
        await scene.renameNode('builder');
      }
      await scene.isStartedOnce(spawnId);
      await twinHasOnly(twins, before);
    }, 120_000);
  });

  it('that is unsent, and whose node has left, is not found on another one; it goes on when that is back @FM-104 @SP-68 @SP-33', async () => {
    const spawn = await scene.killedAfter('claim');
    await scene.node.kill();
    scene.commands.start();
    const { journalId } = await fixture.client.node('n1');
    await waitUntil('the node to have left', async () => {
      const body = { journalId, reason: 'a test says so' };
      const options = { timeoutMs: 2_000 };
      const left = await new RequestClient(fixture.broker.link).request(
        'hf.cmd.nodes.leave.main.n1',
        body,
        options,
      );
      return left.kind === 'answer';
    });
    const before = await fixture.eventsOf(spawn.spawnId);
    expect(await fixture.caller.http('replay', spawn.key, null)).toMatchObject({
      status: 404,
      code: 'node_not_found',
    });
    expect(await fixture.eventsOf(spawn.spawnId)).toEqual(before);
    expect(await scene.standing(spawn.spawnId)).toMatchObject({ held: false, frames: 0 });
    scene.node.start();
    await waitUntil('the node to be back', async () => {
      const answer = await fixture.caller.http('replay', spawn.key, null);
      return answer.status === 201;
    });
    scene.sagas.signal('SIGCONT');
    await fixture.untilStarted(spawn.spawnId);
  }, 90_000);

  it('whose node is lost before it took the order is certainly unsent: the twin gets nothing, its place is given back once @FM-93 @SP-33 @SP-72', async () => {
    const { proxy } = scene.node;
    const { lost } = proxy;
    const twins = await scene.ordersOf('n2');
    proxy.lose(losesOrders);
    const spawnId = await scene.invoke();
    await waitUntil('the order to be lost', () => proxy.lost > lost);
    expect(await scene.node.kill()).toBe(true);
    expect((await scene.until(spawnId, 'failed')).failure?.code).toBe('never_received');
    // And not because its time was up.
    expect(await scene.reasonsOf(spawnId, 'SpawnDispatchRevoked')).toEqual([
      'node builder fell silent',
    ]);
    expect(await fixture.broker.ordersOpenFor('n1')).toBe(1);
    const heard = scene.heardOfOrder(spawnId);
    proxy.deliverAll();
    scene.node.start();
    expect(await heard()).toContain('"kind":"not-started"');
    await fixture.untilFree('n1');
    expect(await fixture.agentsOf(spawnId)).toBe(0);
    expect(await scene.count(spawnId, 'SlotReleased')).toBe(1);
    expect(await scene.ordersOf('n2')).toEqual(twins);
    expect(await scene.ordersOf('n1')).toContain(spawnId);
  }, 90_000);

  describe('whose node-agent was killed', () => {
    it('before it took the order is started by the next incarnation', async () => {
      scene.sagas.signal('SIGSTOP'); // They would take the order back from a node that is silent.
      scene.node.signal('SIGSTOP');
      const spawnId = await scene.invoke();
      await scene.node.killAndRestart();
      await fixture.untilStarted(spawnId);
      scene.sagas.signal('SIGCONT');
      await scene.isStartedOnce(spawnId);
    }, 90_000);

    it('after its claim was granted, and before it heard so, is certainly not started', async () => {
      const { proxy } = scene.node;
      const lost = proxy.lost;
      proxy.lose(({ payload }) => payload.includes('"granted"'));
      const spawnId = await scene.invoke();
      await waitUntil('the claim to be granted', () => proxy.lost > lost);
      await scene.node.kill();
      await scene.until(spawnId, 'claimed');
      proxy.deliverAll();
      scene.node.start();
      const { failure } = await scene.until(spawnId, 'failed');
      expect(failure?.code).toBe('agent_not_started');
      expect(await fixture.agentsOf(spawnId)).toBe(0);
    }, 90_000);

    it.each(['lives', 'has ended'])(
      'after its agent was started, and before anybody was told, is completed by the next one: its agent %s',
      async (now) => {
        scene.commands.proxy.lose(({ subject }) => subject.startsWith('hf.cmd.spawns.report.'));
        const spawnId = await scene.invoke();
        await waitUntil('its agent', async () => (await fixture.agentsOf(spawnId)) === 1);
        await scene.node.kill();
        expect((await fixture.spawn(spawnId)).status).toBe('claimed');
        if (now === 'has ended') await fixture.openGates();
        scene.commands.proxy.deliverAll();
        scene.node.start();
        await scene.until(spawnId, 'completed');
        if (now === 'lives') await scene.isStartedOnce(spawnId);
      },
      90_000,
    );

    it('after it had told of its agent, and before it heard so, is completed once', async () => {
      const { proxy } = scene.node;
      const lost = proxy.lost;
      proxy.lose(({ payload }) => payload.includes('"recorded"'));
      const spawnId = await scene.invoke();
      await scene.until(spawnId, 'completed');
      await waitUntil('the answer to be lost', () => proxy.lost > lost);
      await scene.node.killAndRestart();
      proxy.deliverAll();
      await scene.isStartedOnce(spawnId);
    }, 90_000);
  });
});
