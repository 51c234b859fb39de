import { describe, expect, it } from '@jest/globals';
import type { StrictSpawnAnswer } from '#contracts';
import type { NodeSlots } from '#nodes/contract';
import type { SpawnCommand } from '../domain/index.js';
import { SpawnWorld, WINDOWS, idOfKey } from './spawn.world.fixture.js';
import type { SpawnPorts } from './index.js';

/** A storage that refuses one kind of write for as long as it is broken. */
class Fault {
  isOn = true;
  readonly error = new Error('the write failed');

  ofReservations = (ports: SpawnPorts): SpawnPorts => ({
    ...ports,
    slots: withReserve(ports.slots, (...order) =>
      this.isOn ? Promise.reject(this.error) : ports.slots.reserve(...order),
    ),
  });

  of =
    (type: SpawnCommand['type']) =>
    (ports: SpawnPorts): SpawnPorts => ({
      ...ports,
      spawns: {
        load: (workspace, id) => ports.spawns.load(workspace, id),
        append: (spawn, command, by) =>
          this.isOn && command.type === type
            ? Promise.reject(this.error)
            : ports.spawns.append(spawn, command, by),
      },
    });
}
const withReserve = (slots: NodeSlots, reserve: NodeSlots['reserve']): NodeSlots => ({
  reserve,
  look: (...asked) => slots.look(...asked),
  holders: (...asked) => slots.holders(...asked),
  release: (...order) => slots.release(...order),
  occupy: (...order) => slots.occupy(...order),
});

const answered = async (called: ReturnType<SpawnWorld['call']>): Promise<StrictSpawnAnswer> => {
  const answer = await called;
  if (answer === null || typeof answer === 'string')
    throw new Error(`it was answered with ${String(answer)}`);
  return answer;
};
const typesOf = async (world: SpawnWorld, key: string) =>
  (await world.eventsOf(key)).map(({ type }) => type);
const CLAIM = ['SpawnClaimed', 'SpawnPlacementIntended'];
const ROUTES = ['invoke', 'replay'] as const;

const leave = async (world: SpawnWorld): Promise<void> => {
  const { id: nodeId, journalId } = world.named;
  await world.ofNode(nodeId, { type: 'LeaveNode', nodeId, now: world.now, journalId, reason: 'x' });
};
/** It is called otherwise now, and offers nothing. */
const rename = async (world: SpawnWorld): Promise<void> => {
  const { id: nodeId, journalId, incarnation } = world.named;
  const description = { name: 'elsewhere', capabilities: [], capacity: 2, maxRuns: 1, agents: [] };
  await world.ofNode(nodeId, {
    type: 'JoinNode',
    nodeId,
    now: world.now,
    journalId,
    incarnation,
    leaseHolder: { journalId, incarnation },
    description: { ...description, harnesses: [] },
  });
};
const twinHasNothing = async (world: SpawnWorld): Promise<void> => {
  expect([...world.frames.values()].filter(({ node }) => node === 'twin')).toEqual([]);
  expect(await world.slotsOf('twin')).toBe(0);
};

describe('a claim whose reservation could not be written', () => {
  const claimedWithoutPlace = async () => {
    const fault = new Fault();
    const world = await SpawnWorld.start({ ports: fault.ofReservations });
    await expect(world.call('one', 'invoke')).rejects.toBe(fault.error);
    return { world, fault };
  };

  it('has no place, and nothing was sent (@SP-38)', async () => {
    const { world } = await claimedWithoutPlace();
    expect(await typesOf(world, 'one')).toEqual(CLAIM);
    expect(await world.slotsOf('named')).toBe(0);
    expect(world.frames.size).toBe(0);
  });

  it.each(ROUTES)(
    'goes on under its key once writing works again, by %s (@SP-38, @SP-40, @SP-69)',
    async (route) => {
      const { world, fault } = await claimedWithoutPlace();
      fault.isOn = false;
      const { value, replayed } = await answered(world.call('one', route));
      expect({ id: value.invocation_id, status: value.status, replayed }).toEqual({
        id: idOfKey('one'),
        status: 'dispatched',
        replayed: true,
      });
      expect(await typesOf(world, 'one')).toEqual([...CLAIM, 'SpawnDispatched']);
      expect([world.frames.size, await world.slotsOf('named')]).toEqual([1, 1]);
      await twinHasNothing(world);
    },
  );

  it.each(ROUTES)(
    'is told of its node when that is gone, by %s (@SP-68, @SP-33)',
    async (route) => {
      const { world, fault } = await claimedWithoutPlace();
      fault.isOn = false;
      await leave(world);
      expect(await world.call('one', route)).toBe('node_not_found');
      expect(await typesOf(world, 'one')).toEqual(CLAIM);
      await twinHasNothing(world);
    },
  );
});

describe('a spawn that has its place, and whose dispatch could not be written', () => {
  const reserved = async () => {
    const fault = new Fault();
    const world = await SpawnWorld.start({ ports: fault.of('DispatchSpawn') });
    await expect(world.call('one', 'invoke')).rejects.toBe(fault.error);
    expect([world.frames.size, await world.slotsOf('named')]).toEqual([0, 1]);
    fault.isOn = false;
    return world;
  };

  it.each(ROUTES)('goes on without a second place, by %s (@SP-43, @SP-69)', async (route) => {
    const world = await reserved();
    expect((await answered(world.call('one', route))).value.status).toBe('dispatched');
    expect([world.frames.size, await world.slotsOf('named')]).toEqual([1, 1]);
  });

  it('is timed from its dispatch, and not from when it was reserved (@SP-57)', async () => {
    const world = await reserved();
    const reservedAt = world.now;
    world.now += WINDOWS.reservationMs - 1_000;
    await answered(world.call('one', 'invoke'));
    world.now = reservedAt + WINDOWS.retryAfterMs + 1;
    await world.advance('one');
    expect((await world.stateOf('one')).status).toBe('dispatched');
    world.now += WINDOWS.retryAfterMs;
    await world.advance('one');
    expect((await world.stateOf('one')).status).toBe('failed');
  });

  it('gives its place back when it expires, though nothing was ever sent (@SP-52, @SP-75)', async () => {
    const world = await reserved();
    world.now += WINDOWS.neverDispatchedMs;
    await world.advance('one');
    expect(await world.stateOf('one')).toMatchObject({
      failure: { code: 'never_dispatched_expired' },
    });
    expect([world.frames.size, await world.slotsOf('named')]).toEqual([0, 0]);
  });
});

describe('the frame of a strict spawn', () => {
  it('leaves after its dispatch was committed (@SP-54)', async () => {
    const statuses: string[] = [];
    const world = await SpawnWorld.start({
      ports: (ports, around) => ({
        ...ports,
        lines: {
          ask: (...asked) => ports.lines.ask(...asked),
          publishFrame: async (frame) => {
            statuses.push((await around.stateOf('one')).status);
            await ports.lines.publishFrame(frame);
          },
        },
      }),
    });
    await answered(world.call('one', 'invoke'));
    expect(statuses).toEqual(['dispatched']);
  });

  it.each([
    ['left', true],
    ['did not leave', false],
  ])(
    'of which nobody knows that it %s is not sent as another one, ever (@SP-61, @SP-62)',
    async (_what, leaves) => {
      const sent = new Set<string>();
      const broken = new Error('the line broke');
      const world = await SpawnWorld.start({
        ports: (ports) => ({
          ...ports,
          lines: {
            ask: (...asked) => ports.lines.ask(...asked),
            publishFrame: async (frame) => {
              sent.add(`${frame.node}/${frame.runId}/${String(frame.generation)}`);
              if (leaves) await ports.lines.publishFrame(frame);
              throw broken;
            },
          },
        }),
      });
      const { value } = await answered(world.call('one', 'invoke'));
      expect(value).toMatchObject({
        status: 'dispatched',
        handler_node_id: 'named',
        dispatched_node_id: 'named',
        dispatch_generation: 1,
      });
      for (const route of ROUTES)
        expect((await answered(world.call('one', route))).value).toEqual(value);
      await expect(world.advance('one')).rejects.toBe(broken);
      world.now += WINDOWS.retryAfterMs;
      await world.advance('one');
      expect((await world.stateOf('one')).status).toBe('failed');
      expect((await answered(world.call('one', 'invoke'))).value.status).toBe('failed');
      expect([...sent]).toEqual([`named/${idOfKey('one')}/1`]);
      await twinHasNothing(world);
    },
  );
});

describe('a repeat and a replay', () => {
  it('of a spawn that waits for a full node are told to ask again, after a bounded wait (@SP-34, @SP-63)', async () => {
    const world = await SpawnWorld.start();
    for (const key of ['one', 'two']) await answered(world.call(key, 'invoke'));
    const { value } = await answered(world.call('three', 'invoke'));
    expect([value.status, value.waits_for]).toEqual(['pending', 'a free slot on node builder']);
    const before = await typesOf(world, 'three');
    for (const route of ROUTES)
      expect(await world.call('three', route)).toBe('idempotency_unavailable');
    expect(await typesOf(world, 'three')).toEqual(before);
    await twinHasNothing(world);
  });

  it.each<[string, (world: SpawnWorld) => Promise<void>]>([
    ['is called otherwise and offers nothing', rename],
    ['has left', leave],
    [
      'is silent',
      async (world) => {
        world.named.up = false;
      },
    ],
  ])('of what was dispatched look at nothing of a node that %s (@SP-64)', async (_what, change) => {
    const world = await SpawnWorld.start();
    const { value } = await answered(world.call('one', 'invoke'));
    const before = await typesOf(world, 'one');
    await change(world);
    for (const route of ROUTES)
      expect(await answered(world.call('one', route))).toEqual({ value, replayed: true });
    expect(await typesOf(world, 'one')).toEqual(before);
  });

  it('of what has ended say how, and write nothing (@SP-64, @SP-66, @SP-69)', async () => {
    const world = await SpawnWorld.start();
    await answered(world.call('one', 'invoke'));
    world.deliver();
    for (let step = 0; step < 4; step += 1) await world.named.step(false);
    await rename(world);
    const before = await typesOf(world, 'one');
    for (const route of ROUTES)
      expect((await answered(world.call('one', route))).value.status).toBe('completed');
    expect(await typesOf(world, 'one')).toEqual(before);
    expect(world.frames.size).toBe(1);
  });

  it('of a key that nobody used: the replay makes nothing (@SP-02, @SP-67)', async () => {
    const world = await SpawnWorld.start();
    expect(await world.call('one', 'replay')).toBe('invocation_not_found');
    expect(await world.eventsOf('one')).toEqual([]);
    expect([world.frames.size, await world.slotsOf('named')]).toEqual([0, 0]);
  });
});
