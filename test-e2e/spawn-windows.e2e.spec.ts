import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '#testing';
import { holdAtEffect, killAtEffect } from './support/kill-points.js';
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

  describe('whose caller’s process was killed', () => {
    const pending = { status: 'pending', held: false, frames: 0 };
    const reserved = { ...pending, held: true };
    const dispatched = { ...reserved, status: 'dispatched' };
    const sent = { ...dispatched, frames: 1 };

    it.each<[Effect, Route, string, object]>([
      ['claim', 'invoke', '@FM-87 @SP-40', pending],
      ['claim', 'replay', '@FM-88 @SP-40', pending],
      ['reservation', 'invoke', '@FM-89 @FM-91 @SP-43', reserved],
      ['reservation', 'replay', '@FM-91 @SP-43', reserved],
      ['dispatch', 'invoke', '@FM-92 @SP-54', dispatched],
      ['dispatch', 'replay', '@FM-92 @SP-62', dispatched],
      ['frame', 'invoke', '@FM-92 @SP-61', sent],
      ['frame', 'replay', '@FM-92 @SP-62', sent],
    ])(
      'after the %s is resumed by its key through %s, with one place, one order and one agent %s',
      async (effect, route, _ids, left) => {
        const spawn = await scene.killedAfter(effect);
        const { spawnId } = spawn;
        expect(await scene.standing(spawnId)).toEqual(left);
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
        scene.commands.start();
        scene.sagas.signal('SIGCONT');
        await scene.isStartedOnce(spawnId);
      },
      90_000,
    );

    it.each([
      [1, '@FM-91'],
      [2, '@FM-92'],
      [3, '@FM-92'],
    ])(
      'is moved on although the sagas are killed as well, after their effect %i %s',
      async (effect) => {
        const { spawnId } = await scene.killedAfter('claim');
        await killAtEffect(scene.sagas, effect, () => {
          scene.sagas.signal('SIGCONT');
          return scene.until(spawnId, 'completed');
        });
        scene.commands.start();
        scene.sagas.start();
        await scene.isStartedOnce(spawnId);
      },
      90_000,
    );

    it('together with everything else, broker and Postgres included, is resumed on the same storage @FM-109 @SP-80', async () => {
      const spawn = await scene.killedAfter('claim');
      await Promise.all([scene.sagas.kill(), scene.node.kill()]);
      for (const name of Object.keys(fixture.stack.pids())) fixture.stack.kill(name, 'SIGKILL');
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
    const reserved = holdAtEffect(scene.commands.proxy, 2);
    const answered = fixture.caller.nats('invoke', key, facts, { timeoutMs: 60_000 });
    await reserved();
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
    expect(await scene.standing(spawnId)).toEqual({ status: 'pending', held: false, frames: 0 });
    await fixture.broker.leaveRoom();
    scene.sagas.signal('SIGCONT');
    for (const key of [claimed, unclaimed]) {
      const { replayed, view } = await fixture.caller.insist('invoke', key, facts);
      expect(replayed).toBe(key === claimed);
      await scene.isStartedOnce(view.invocation_id);
    }
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
