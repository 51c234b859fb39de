import { describe, expect, it } from '@jest/globals';
import type { Frame, StrictSpawnAnswer } from '#contracts';
import type { NodeSlots } from '#nodes/contract';
import type { NodeCommand } from '#nodes/domain';
import type { SpawnCommand } from '../domain/index.js';
import {
  NEW_TOKEN,
  SpawnWorld,
  WINDOWS,
  idOfKey,
  type LivingProcess,
} from './spawn.world.fixture.js';
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
/** Each token that the events of a spawn, or its place, ever had. */
const tokensOf = async (world: SpawnWorld, key: string): Promise<Set<unknown>> => {
  const events = await world.eventsOf(key);
  const { slots } = await world.nodeState('named');
  return new Set([
    ...events.flatMap(({ data }) => ('token' in data ? [data.token] : [])),
    slots.held[idOfKey(key)]?.token,
  ]);
};
const CLAIM = ['SpawnClaimed', 'SpawnPlacementIntended'];
const ROUTES = ['invoke', 'replay'] as const;
/** How long a call waits for its spawn to leave, and between two looks. Source: the protocol; the runner. */
const WAITS_MS = 500;
const LOOK_AGAIN_MS = 25;

const leave = async (world: SpawnWorld): Promise<void> => {
  const { id: nodeId, journalId } = world.named;
  await world.ofNode(nodeId, { type: 'LeaveNode', nodeId, now: world.now, journalId, reason: 'x' });
};
/** Somebody gives a place back: that of the first spawn. */
const freed = ({ now }: SpawnWorld): NodeCommand => ({
  type: 'ReleaseSlot',
  nodeId: 'named',
  now,
  spawnId: idOfKey('one'),
  round: 1,
  until: now,
  reason: 'a test says so',
});
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

/** A line that remembers each frame that anybody tried to send, in order; it may break before, or after. */
class Line {
  readonly sent: Frame[] = [];
  /** What becomes of the next sends. */
  state: 'works' | 'breaks before' | 'breaks after' = 'works';
  readonly broken = new Error('the line broke');

  of = (ports: SpawnPorts): SpawnPorts => ({
    ...ports,
    lines: {
      ask: (...asked) => ports.lines.ask(...asked),
      publishFrame: async (frame) => {
        this.sent.push(frame);
        if (this.state !== 'breaks before') await ports.lines.publishFrame(frame);
        if (this.state !== 'works') throw this.broken;
      },
    },
  });

  /** Of whatever was sent: each address, with each body that was sent there. */
  get distinct(): readonly string[] {
    return [...new Set(this.sent.map((frame) => `${addressOf(frame)} ${JSON.stringify(frame)}`))];
  }
}
const addressOf = ({ node, runId, generation }: Frame): string =>
  `${node}/${runId}/${String(generation)}`;
const ADDRESS = `named/${idOfKey('one')}/1`;

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

describe('a spawn that gave its place up', () => {
  it('sent nothing by that, and goes on under the token of its claim (@SP-46, @SP-50)', async () => {
    const fault = new Fault();
    const line = new Line();
    const world = await SpawnWorld.start({
      ports: (ports) => fault.of('DispatchSpawn')(line.of(ports)),
    });
    await expect(world.call('one', 'invoke')).rejects.toBe(fault.error);
    fault.isOn = false;
    world.named.notReady = ['sample'];
    await world.advance('one');
    const givenUp = [...CLAIM, 'SpawnReservationReleaseDecided'];
    expect(await typesOf(world, 'one')).toEqual(givenUp);
    expect(await world.slotsOf('named')).toBe(0);
    expect(line.sent).toEqual([]);
    world.named.notReady = [];
    await answered(world.call('one', 'invoke'));
    expect(await typesOf(world, 'one')).toEqual([
      ...givenUp,
      'SpawnPlacementIntended',
      'SpawnDispatched',
    ]);
    const [token, ...others] = await tokensOf(world, 'one');
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(token).not.toBe(NEW_TOKEN); // A mover that would mint one mints this one.
    expect(others).toEqual([]);
    expect(line.sent.map(addressOf)).toEqual([ADDRESS]);
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
    ['left', 'breaks after'],
    ['did not leave', 'breaks before'],
  ] as const)(
    'of which nobody knows that it %s is not sent as another one, ever: each try has one address and one body (@SP-61, @SP-62)',
    async (_what, state) => {
      const line = new Line();
      line.state = state;
      const world = await SpawnWorld.start({ ports: line.of });
      const { value } = await answered(world.call('one', 'invoke'));
      expect(value).toMatchObject({
        status: 'dispatched',
        handler_node_id: 'named',
        dispatched_node_id: 'named',
        dispatch_generation: 1,
      });
      for (const route of ROUTES)
        expect((await answered(world.call('one', route))).value).toEqual(value);
      expect(line.sent).toHaveLength(1); // A call that finds it dispatched sends nothing.
      for (const tries of [2, 3]) {
        await expect(world.advance('one')).rejects.toBe(line.broken);
        expect(line.sent).toHaveLength(tries);
      }
      world.now += WINDOWS.retryAfterMs;
      await world.advance('one');
      expect((await world.stateOf('one')).status).toBe('failed');
      for (const route of ROUTES)
        expect((await answered(world.call('one', route))).value.status).toBe('failed');
      await world.advance('one');
      expect(line.sent.map(addressOf)).toEqual([ADDRESS, ADDRESS, ADDRESS]);
      expect(line.distinct).toHaveLength(1);
      expect([...world.frames.values()]).toEqual(state === 'breaks after' ? [line.sent[0]] : []);
      await twinHasNothing(world);
    },
  );

  /** Everybody asks for it again and again, until just before its time is up. */
  const askAgain = async (world: SpawnWorld, by: Pick<LivingProcess, 'call' | 'advance'>) => {
    const { value } = await answered(by.call('one', 'invoke'));
    for (let elapsedMs = 0; elapsedMs < WINDOWS.retryAfterMs; elapsedMs += 5_000) {
      for (const route of ROUTES)
        expect((await answered(by.call('one', route))).value).toEqual(value);
      await by.advance('one');
      world.now += 4_999;
    }
    expect((await world.stateOf('one')).status).toBe('dispatched');
  };

  it('that is known to have left is not sent again by any call, replay or sweep of that process (@SP-62)', async () => {
    const line = new Line();
    const world = await SpawnWorld.start({ ports: line.of });
    await askAgain(world, world.living());
    expect(line.sent.map(addressOf)).toEqual([ADDRESS]);
    expect([...world.frames.values()]).toEqual(line.sent);
  });

  it.each(['breaks before', 'breaks after'] as const)(
    'is sent at its one address until it is known to have left, and not once more then: the line %s (@SP-62)',
    async (state) => {
      const line = new Line();
      line.state = state;
      const world = await SpawnWorld.start({ ports: line.of });
      const process = world.living();
      await answered(process.call('one', 'invoke'));
      await expect(process.advance('one')).rejects.toBe(line.broken);
      line.state = 'works';
      await process.advance('one');
      expect(line.sent).toHaveLength(3);
      await askAgain(world, process);
      expect(line.sent.map(addressOf)).toEqual([ADDRESS, ADDRESS, ADDRESS]);
      expect(line.distinct).toHaveLength(1);
      expect([...world.frames.values()]).toEqual([line.sent[0]]);
    },
  );

  it('may be put at its one address again by processes that do not know that it left: it is the same one (@SP-62)', async () => {
    const line = new Line();
    const world = await SpawnWorld.start({ ports: line.of });
    await askAgain(world, world);
    expect(line.sent.length).toBeGreaterThan(1);
    expect(line.distinct).toEqual([`${ADDRESS} ${JSON.stringify(line.sent[0])}`]);
    expect([...world.frames.values()]).toEqual([line.sent[0]]);
  });
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

  it.each([0, 20, 60])(
    'of a spawn that waits are at it for as long as the protocol says, where a look takes %i ms (@SP-63)',
    async (lookMs) => {
      const world = await SpawnWorld.start();
      world.lookMs = 0;
      for (const key of ['one', 'two', 'three']) await answered(world.call(key, 'invoke'));
      expect(world.waitedMs).toEqual([0, 0, 0]); // Who makes a claim does not wait for a place.
      world.lookMs = lookMs;
      for (const route of ROUTES)
        expect(await world.call('three', route)).toBe('idempotency_unavailable');
      // Nobody is interrupted in a look, or in the pause before it.
      for (const waitedMs of world.waitedMs.slice(3)) {
        expect(waitedMs).toBeGreaterThanOrEqual(WAITS_MS);
        expect(waitedMs).toBeLessThan(WAITS_MS + LOOK_AGAIN_MS + lookMs);
      }
      expect(world.waitedMs).toHaveLength(3 + ROUTES.length);
    },
  );

  it.each(ROUTES)(
    'of a spawn that leaves meanwhile wait no longer, by %s (@SP-63)',
    async (route) => {
      const world = await SpawnWorld.start();
      for (const key of ['one', 'two', 'three']) await answered(world.call(key, 'invoke'));
      world.lookMs = 0;
      let pauses = 0;
      world.meanwhile = async () => {
        pauses += 1;
        if (pauses === 3) await world.ofNode('named', freed(world));
      };
      expect((await answered(world.call('three', route))).value.status).toBe('dispatched');
      expect(world.waitedMs.at(-1)).toBe(3 * LOOK_AGAIN_MS);
    },
  );

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
