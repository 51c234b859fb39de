import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '#event-store';
import type { SpawnPorts } from '#spawns/saga';
import { trustsFirstLook } from './first-look.fixture.js';
import { heldBefore, withoutExpected } from './held-store.fixture.js';
import {
  NOT_READY,
  SILENT,
  SpawnRaces,
  WINDOWS,
  type MoverOptions,
  type Outcome,
} from './spawn-races.fixture.js';

/** How the one that is held up does its work. */
interface Ways {
  /** It sees the store through this. */
  readonly of: (events: EventStore) => EventStore;
  /** Stands between it and the world. */
  readonly ports: (ports: SpawnPorts) => SpawnPorts;
}
const ITS_WAYS: Ways = { of: (events) => events, ports: (ports) => ports };
const WITHOUT_EXPECTED: Ways = { ...ITS_WAYS, of: withoutExpected };
const WITH_ITS_FIRST_LOOK: Ways = { ...ITS_WAYS, ports: trustsFirstLook };

/** Two of whom one is held up between its look and its write, until the other is done. */
interface Race {
  readonly what: string;
  readonly run: (ways: Ways) => Promise<string>;
  readonly outcome: Outcome;
  /** What it comes to where the one that is held up does without the rule that is shown. */
  readonly without: { readonly rule: string; readonly ways: Ways; readonly bad: Outcome };
}

interface Racers {
  /** How old the spawn is by then. */
  readonly afterMs?: number;
  /** The one that is held up. */
  readonly one: (
    held: Pick<Ways, 'ports'> & { readonly spawnId: string; readonly events: EventStore },
  ) => Promise<unknown>;
  readonly other: (spawnId: string) => Promise<unknown>;
}

/** After this, a spawn is too old for whoever has the right time; a clock that is `BEHIND` says that its round may still be reserved. */
const TOO_OLD_MS = WINDOWS.neverDispatchedMs + 1;
const BEHIND: MoverOptions = { skewMs: -7_000 };

describe('two who move a strict spawn on at once', () => {
  let world: SpawnRaces;
  beforeAll(async () => {
    world = await SpawnRaces.start();
  }, 60_000);
  beforeEach(() => {
    world.now = Date.now();
  });
  afterAll(() => world?.stop());

  /** The one is held up before it appends an event of this type; meanwhile the other comes and goes. */
  const raced =
    (
      begun: 'claimed' | 'reserved' | 'claimedByNode',
      type: string,
      { afterMs = 0, one, other }: Racers,
    ): Race['run'] =>
    async ({ of, ports }) => {
      const spawnId = await world[begun]();
      world.now += afterMs;
      const { store, reached, open } = heldBefore(of(world.events), type);
      const moving = one({ spawnId, events: store, ports });
      const came = reached.then(() => 'before its write');
      expect(await Promise.race([came, moving.then(() => 'to its end')])).toBe('before its write');
      await other(spawnId);
      open();
      await moving;
      return spawnId;
    };

  const expected = (bad: Outcome): Race['without'] => ({
    rule: 'the expected sequence',
    ways: WITHOUT_EXPECTED,
    bad,
  });
  /** Gives the round that it is in up and goes on to the next, in which it dispatches. */
  const goToNextRound = async (spawnId: string, options: MoverOptions = {}): Promise<void> => {
    world.now += 1; // What it decides is not what the one that is held up has decided.
    await world.move(spawnId, { ...options, life: NOT_READY });
    await world.move(spawnId, options);
  };
  const NEXT_ROUND: Outcome = {
    spawn: ['SpawnReservationReleaseDecided', 'SpawnPlacementIntended', 'SpawnDispatched'],
    places: ['SlotReserved', 'SlotReleased', 'SlotReserved'],
    frames: 1,
  };

  const races: readonly Race[] = [
    {
      what: 'a sweeper and another: it expires once, and its place is given back once @FM-97 @SP-75',
      run: raced('reserved', 'SpawnExpired', {
        afterMs: TOO_OLD_MS,
        one: ({ spawnId, events }) => world.move(spawnId, { events }),
        other: (spawnId) => world.move(spawnId),
      }),
      outcome: { spawn: ['SpawnExpired'], places: ['SlotReserved', 'SlotReleased'], frames: 0 },
      without: expected({
        spawn: ['SpawnExpired', 'SpawnExpired'],
        places: ['SlotReserved', 'SlotReleased'],
        frames: 0,
      }),
    },
    {
      what: 'a sweeper that has looked, and a dispatcher: what was dispatched does not expire, and keeps its place @FM-96 @SP-74',
      run: raced('claimed', 'SpawnExpired', {
        afterMs: TOO_OLD_MS,
        one: ({ spawnId, events }) => world.move(spawnId, { events }),
        other: (spawnId) => world.move(spawnId, BEHIND),
      }),
      outcome: { spawn: ['SpawnDispatched'], places: ['SlotReserved'], frames: 1 },
      without: expected({
        spawn: ['SpawnDispatched', 'SpawnExpired'],
        places: ['SlotReserved', 'SlotReleased'],
        frames: 1,
      }),
    },
    {
      what: 'a sweeper that has looked, and one that reserves and gets no further: it expires once, and the place is given back @FM-96 @SP-74 @SP-75',
      run: raced('claimed', 'SpawnExpired', {
        afterMs: TOO_OLD_MS,
        one: ({ spawnId, events, ports }) => world.move(spawnId, { events, ports }),
        other: (spawnId) => world.reserve(spawnId, BEHIND),
      }),
      outcome: { spawn: ['SpawnExpired'], places: ['SlotReserved', 'SlotReleased'], frames: 0 },
      without: {
        rule: 'a new look at the place',
        ways: WITH_ITS_FIRST_LOOK,
        bad: { spawn: ['SpawnExpired'], places: ['SlotReserved'], frames: 0 },
      },
    },
    {
      what: 'one that reserves, and a sweeper: what has expired takes no place @FM-96 @SP-74 @SP-75',
      run: raced('claimed', 'SlotReserved', {
        afterMs: TOO_OLD_MS,
        one: ({ spawnId, events }) => world.move(spawnId, { ...BEHIND, events }),
        other: (spawnId) => world.move(spawnId),
      }),
      outcome: { spawn: ['SpawnExpired'], places: ['SlotReleased'], frames: 0 },
      without: expected({
        spawn: ['SpawnExpired'],
        places: ['SlotReleased', 'SlotReserved', 'SlotReleased'],
        frames: 0,
      }),
    },
    {
      what: 'a dispatcher that has looked, and a sweeper: what has expired is not dispatched @FM-96 @SP-74',
      run: raced('reserved', 'SpawnDispatched', {
        afterMs: TOO_OLD_MS,
        one: ({ spawnId, events }) => world.move(spawnId, { ...BEHIND, events }),
        other: (spawnId) => world.move(spawnId),
      }),
      outcome: { spawn: ['SpawnExpired'], places: ['SlotReserved', 'SlotReleased'], frames: 0 },
      without: expected({
        spawn: ['SpawnExpired', 'SpawnDispatched'],
        places: ['SlotReserved', 'SlotReleased'],
        frames: 1,
      }),
    },
    {
      what: 'one that gives the place up, and a dispatcher: what was dispatched keeps its place @FM-101 @SP-47 @SP-48',
      run: raced('reserved', 'SpawnReservationReleaseDecided', {
        one: ({ spawnId, events }) => world.move(spawnId, { events, life: NOT_READY }),
        other: (spawnId) => world.move(spawnId),
      }),
      outcome: { spawn: ['SpawnDispatched'], places: ['SlotReserved'], frames: 1 },
      without: expected({
        spawn: ['SpawnDispatched', 'SpawnReservationReleaseDecided'],
        places: ['SlotReserved', 'SlotReleased'],
        frames: 1,
      }),
    },
    {
      what: 'a dispatcher that has looked, and one that gives the place up: it is dispatched with a place of its own @FM-101 @SP-53',
      run: raced('reserved', 'SpawnDispatched', {
        one: ({ spawnId, events }) => world.move(spawnId, { events }),
        other: (spawnId) => world.move(spawnId, { life: NOT_READY }),
      }),
      outcome: {
        spawn: ['SpawnReservationReleaseDecided', 'SpawnPlacementIntended', 'SpawnDispatched'],
        places: ['SlotReserved', 'SlotReleased', 'SlotReserved'],
        frames: 1,
      },
      without: expected({
        spawn: ['SpawnReservationReleaseDecided', 'SpawnDispatched'],
        places: ['SlotReserved', 'SlotReleased'],
        frames: 1,
      }),
    },
    {
      what: 'one that wakes in an older round: it takes no place, and sends nothing @FM-102 @SP-49',
      run: raced('claimed', 'SlotReserved', {
        afterMs: WINDOWS.reservationMs + 1,
        one: ({ spawnId, events }) => world.move(spawnId, { ...BEHIND, events }),
        other: (spawnId) => world.move(spawnId),
      }),
      outcome: {
        spawn: ['SpawnReservationReleaseDecided', 'SpawnPlacementIntended', 'SpawnDispatched'],
        places: ['SlotReleased', 'SlotReserved'],
        frames: 1,
      },
      without: expected({
        spawn: ['SpawnReservationReleaseDecided', 'SpawnPlacementIntended', 'SpawnDispatched'],
        places: ['SlotReleased', 'SlotReserved', 'SlotReserved'],
        frames: 1,
      }),
    },
    {
      what: 'one that gives an older round up, and one that has dispatched in the next: nothing is given up @FM-102 @SP-49 @SP-47',
      run: raced('reserved', 'SpawnReservationReleaseDecided', {
        one: ({ spawnId, events }) => world.move(spawnId, { events, life: NOT_READY }),
        other: (spawnId) => goToNextRound(spawnId),
      }),
      outcome: NEXT_ROUND,
      without: expected({
        ...NEXT_ROUND,
        spawn: [...NEXT_ROUND.spawn, 'SpawnReservationReleaseDecided'],
      }),
    },
    {
      what: 'one that gives the place of an older round back, and one that has dispatched in the next: the place stays @FM-102 @SP-49 @SP-48',
      run: raced('reserved', 'SlotReleased', {
        one: ({ spawnId, events }) => world.move(spawnId, { events, life: NOT_READY }),
        other: (spawnId) => goToNextRound(spawnId),
      }),
      outcome: NEXT_ROUND,
      without: expected({ ...NEXT_ROUND, places: [...NEXT_ROUND.places, 'SlotReleased'] }),
    },
    {
      what: 'one that dispatches in an older round, and one that has dispatched in the next: it is dispatched once @FM-102 @SP-49',
      run: raced('reserved', 'SpawnDispatched', {
        one: ({ spawnId, events }) => world.move(spawnId, { events }),
        other: (spawnId) => goToNextRound(spawnId),
      }),
      outcome: NEXT_ROUND,
      without: expected({ ...NEXT_ROUND, spawn: [...NEXT_ROUND.spawn, 'SpawnDispatched'] }),
    },
    {
      what: 'a sweeper that has looked at an older round, and one that has dispatched in the next: it does not expire @FM-102 @SP-74',
      run: raced('reserved', 'SpawnExpired', {
        afterMs: TOO_OLD_MS,
        one: ({ spawnId, events }) => world.move(spawnId, { events }),
        other: (spawnId) => goToNextRound(spawnId, BEHIND),
      }),
      outcome: NEXT_ROUND,
      without: expected({
        ...NEXT_ROUND,
        spawn: [...NEXT_ROUND.spawn, 'SpawnExpired'],
        places: [...NEXT_ROUND.places, 'SlotReleased'],
      }),
    },
    {
      what: 'one that reserves, and a node that leaves: nothing is reserved @FM-103 @SP-39',
      run: raced('claimed', 'SlotReserved', {
        one: ({ spawnId, events }) => world.move(spawnId, { events }),
        other: (spawnId) => world.leave(spawnId),
      }),
      outcome: { spawn: [], places: [], frames: 0 },
      without: expected({ spawn: ['SpawnDispatched'], places: ['SlotReserved'], frames: 1 }),
    },
    {
      what: 'one that settles it as unknown, and a late report: it is completed @FM-94 @SP-77',
      run: raced('claimedByNode', 'SpawnSettledUnknown', {
        afterMs: WINDOWS.retryAfterMs,
        one: ({ spawnId, events }) => world.move(spawnId, { events, life: SILENT }),
        other: (spawnId) => world.reportStarted(spawnId),
      }),
      outcome: {
        spawn: ['SpawnDispatched', 'SpawnFrameClaimed', 'SpawnCompleted'],
        places: ['SlotReserved', 'SlotOccupied'],
        frames: 1,
      },
      without: expected({
        spawn: ['SpawnDispatched', 'SpawnFrameClaimed', 'SpawnCompleted', 'SpawnSettledUnknown'],
        places: ['SlotReserved'],
        frames: 1,
      }),
    },
    {
      what: 'a report, and one that settles it as unknown: the report is late evidence, and the place stays held @FM-94 @SP-77',
      run: raced('claimedByNode', 'SpawnCompleted', {
        afterMs: WINDOWS.retryAfterMs,
        one: ({ spawnId, events }) => world.reportStarted(spawnId, events),
        other: (spawnId) => world.move(spawnId, { life: SILENT }),
      }),
      outcome: {
        spawn: [
          'SpawnDispatched',
          'SpawnFrameClaimed',
          'SpawnSettledUnknown',
          'SpawnLateEvidenceRecorded',
        ],
        places: ['SlotReserved'],
        frames: 1,
      },
      without: expected({
        spawn: ['SpawnDispatched', 'SpawnFrameClaimed', 'SpawnSettledUnknown', 'SpawnCompleted'],
        places: ['SlotReserved'],
        frames: 1,
      }),
    },
  ];

  it.each(races)('$what', async ({ run, outcome }) => {
    const spawnId = await run(ITS_WAYS);
    expect(await world.outcome(spawnId)).toEqual(outcome);
  });

  it.each(
    races.map(({ what, without, ...race }) => ({
      ...race,
      ...without,
      what: what.replace(/ @.*$/, ''),
    })),
  )('without $rule it is not so (negative control): $what', async ({ run, outcome, ways, bad }) => {
    expect(bad).not.toEqual(outcome);
    expect(await world.outcome(await run(ways))).toEqual(bad);
  });

  it('tell a caller whose node has left meanwhile of the node @FM-103 @SP-39', async () => {
    const spawnId = await world.claimed();
    await world.leave(spawnId);
    await world.move(spawnId);
    const spawn = await world.state(spawnId);
    await expect(world.door().checkUnsent('main', spawn)).rejects.toMatchObject({
      code: 'node_not_found',
    });
    expect(await world.outcome(spawnId)).toEqual({ spawn: [], places: [], frames: 0 });
  });
});

describe('a place that was reserved long ago', () => {
  let world: SpawnRaces;
  beforeAll(async () => {
    world = await SpawnRaces.start();
  }, 60_000);
  afterAll(() => world?.stop());

  const windows = { retryAfterMs: 3_000 };
  /** Reserved for longer than a dispatch may take, then dispatched, and swept in the same moment. */
  const dispatchedLate = async (ports: (ports: SpawnPorts) => SpawnPorts): Promise<string> => {
    const spawnId = await world.reserved();
    world.now += 2 * windows.retryAfterMs;
    await world.move(spawnId, { windows, ports });
    await world.move(spawnId, { windows });
    return spawnId;
  };
  /** Whoever dispatches counts from when the place was taken. */
  const countsFromThePlace = (ports: SpawnPorts): SpawnPorts => ({
    ...ports,
    spawns: {
      load: (workspace, id) => ports.spawns.load(workspace, id),
      append: (spawn, command, by) =>
        ports.spawns.append(
          spawn,
          command.type === 'DispatchSpawn'
            ? { ...command, retryAfterAt: (command.slot?.reservedAt ?? 0) + windows.retryAfterMs }
            : command,
          by,
        ),
    },
  });

  it('is dispatched with its time-out counted from now; a sweep right after leaves it alone @FM-95 @SP-56 @SP-57', async () => {
    const reservedAt = world.now;
    const spawnId = await dispatchedLate((ports) => ports);
    expect(await world.state(spawnId)).toMatchObject({
      status: 'dispatched',
      dispatch: {
        reservedAt,
        dispatchedAt: world.now,
        retryAfterAt: world.now + windows.retryAfterMs,
      },
    });
  });

  it('is revoked at once where the time-out is counted from the reservation (negative control)', async () => {
    const spawnId = await dispatchedLate(countsFromThePlace);
    expect((await world.state(spawnId)).status).toBe('failed');
  });
});
