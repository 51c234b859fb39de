import { beforeEach, describe, expect, it } from '@jest/globals';
import { claimFrame, nodeId, otherNode } from '../domain/spawn.fixture.js';
import { GenericSpawnWorld } from './generic-spawn.world.fixture.js';

let world: GenericSpawnWorld;
beforeEach(() => {
  world = new GenericSpawnWorld();
});

const LATER = 33_000;
const framesSent = (): readonly string[] => [...world.frames.keys()];
const claimed = (generation: number, node: string) =>
  claimFrame({ now: world.now, generation, journalId: `journal-of-${node}` });

/** The named node, and one that is the same in everything but its id. */
const twins = async (): Promise<void> => {
  await world.join(nodeId, { name: 'builder' });
  await world.join(otherNode, { name: 'builder' });
};

describe('a generic spawn', () => {
  it('goes to the node with the most free places, in one frame', async () => {
    await world.join('a');
    await world.join('b', { capacity: 3 });
    await world.claim('generic');
    const { state } = await world.move();
    expect(await world.told()).toStrictEqual([
      'SpawnClaimed',
      'SpawnPlacementIntended b',
      'SpawnDispatched b',
    ]);
    expect([...world.frames.values()]).toStrictEqual([
      {
        workspace: 'main',
        node: 'b',
        journalId: 'journal-of-b',
        runId: 'spawn-1',
        sessionId: 'spawn-1',
        agent: 'agent-1',
        epoch: 1,
        generation: 1,
        kind: 'initial',
        prompt: 'Say hello.',
        thread: null,
        turn: null,
        key: 'spawn-1',
        spawn: { harness: 'claude', directory: null },
      },
    ]);
    expect(state.dispatch?.nodeName).toBe('b');
  });

  it('is sent once, whoever moves it on at the same time', async () => {
    await world.join('a');
    await world.join('b');
    await world.claim('generic');
    await Promise.all([world.move(), world.move(), world.move()]);
    expect(framesSent()).toStrictEqual(['a/1']);
    expect([await world.held('a'), await world.held('b')]).toStrictEqual([1, 0]);
  });

  it('waits while there is no node for it, and goes to the first that comes', async () => {
    await world.claim('generic');
    await world.move();
    expect(await world.told()).toStrictEqual(['SpawnClaimed']);
    await world.join('a');
    await world.move();
    expect(framesSent()).toStrictEqual(['a/1']);
  });

  it('begins no round on a node that is full, whatever the catalog says', async () => {
    await world.join('a', { capacity: 1 });
    await world.join('b', { capacity: 1 });
    await world.take('a');
    await world.claim('generic');
    await world.move();
    expect(await world.told()).toStrictEqual([
      'SpawnClaimed',
      'SpawnPlacementIntended b',
      'SpawnDispatched b',
    ]);
  });

  it('is placed on a node that lives, however many stand before it that died without a word', async () => {
    for (let count = 0; count < 40; count += 1) {
      const id = `node-${String(count + 10)}`;
      await world.join(id);
      world.lives.set(id, 'silent');
    }
    await world.join('z');
    await world.claim('generic');
    await world.move();
    expect(await world.told()).toContain('SpawnDispatched z');
  });

  it('that nobody takes is taken back and sent elsewhere, once, and its place is free (@SP-09, @SP-73)', async () => {
    await world.join('a', { capacity: 2 });
    await world.join('b');
    await world.claim('generic');
    await world.move();
    world.now = LATER;
    await Promise.all([world.move(), world.move()]);
    expect(await world.told()).toStrictEqual([
      'SpawnClaimed',
      'SpawnPlacementIntended a',
      'SpawnDispatched a',
      'SpawnDispatchRevoked',
      'SpawnPlacementIntended b',
      'SpawnDispatched b',
    ]);
    expect(framesSent()).toStrictEqual(['a/1', 'b/2']);
    expect([await world.held('a'), await world.held('b')]).toStrictEqual([0, 1]);
    await expect(world.say(claimed(1, 'a'))).rejects.toMatchObject({ code: 'spawn.claim_refused' });
    await world.say(claimed(2, 'b'));
  });

  it('goes back to the node that it was taken back from when there is no other', async () => {
    await world.join('a');
    await world.claim('generic');
    await world.move();
    world.now = LATER;
    await world.move();
    expect(framesSent()).toStrictEqual(['a/1', 'a/2']);
    expect(await world.held('a')).toBe(1);
  });

  it.each(['silent', 'alive'] as const)(
    'that was claimed goes nowhere, when its node is %s and can not be asked (@SP-73)',
    async (liveness) => {
      await world.join('a');
      await world.claim('generic');
      await world.move();
      await world.say(claimed(1, 'a'));
      await world.join('b', { capacity: 9 });
      world.lives.set('a', liveness);
      world.now = LATER;
      const { state } = await world.move();
      expect(state.failure?.code).toBe('spawn_outcome_unknown');
      expect(world.asked).toBeGreaterThan(0);
      expect(framesSent()).toStrictEqual(['a/1']);
      expect([await world.held('a'), await world.held('b')]).toStrictEqual([1, 0]);
    },
  );

  it('expires when it found no node in time, and holds no place (@SP-74)', async () => {
    await world.join('a');
    await world.claim('generic');
    world.lives.set('a', 'silent');
    world.now = 700_000;
    const { state } = await world.move();
    expect(state.failure?.code).toBe('never_dispatched_expired');
    expect(await world.held('a')).toBe(0);
  });
});

describe('a strict spawn', () => {
  /** What becomes of the named node before the spawn is moved on. */
  const FATES: readonly (readonly [string, () => Promise<void> | void, readonly string[]])[] = [
    ['is there', () => undefined, [`${nodeId}/1`]],
    ['is full', () => world.take(nodeId), []],
    ['is silent', () => void world.lives.set(nodeId, 'silent'), []],
  ];

  it.each(FATES)(
    'never looks for another node, when its own %s; its twin gets nothing (@SP-33)',
    async (_what, befalls, sent) => {
      await twins();
      await befalls();
      await world.claim('strict');
      await world.move();
      world.now = LATER;
      await world.move();
      world.now = 700_000;
      await world.move();
      expect(world.listed).toBe(0);
      expect(framesSent()).toStrictEqual(sent);
      expect(await world.held(otherNode)).toBe(0);
      expect(new Set(world.judged)).toStrictEqual(new Set([nodeId]));
    },
  );

  it('differs in that from one that names no node', async () => {
    await twins();
    world.lives.set(nodeId, 'silent');
    await world.claim('generic');
    await world.move();
    expect(world.listed).toBe(1);
    expect(framesSent()).toStrictEqual([`${otherNode}/1`]);
  });
});
