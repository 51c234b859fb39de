import { beforeEach, describe, expect, it } from '@jest/globals';
import { RuleViolation } from '#kernel';
import { AggregateStore } from './aggregate-store.js';
import {
  ObservedStore,
  add,
  as,
  key,
  ref,
  sum,
  sumDecider,
  sumWithSnapshots,
  type Sum,
} from './aggregate-store.fixture.js';
import { AppendFailed, Contended, RevisionConflict, StreamDiverged } from './port/errors.js';

let events: ObservedStore;
let store: AggregateStore;
beforeEach(() => {
  events = new ObservedStore();
  store = new AggregateStore(events, { random: () => 0 });
});

const storedAmounts = async (): Promise<number[]> =>
  (await events.read(ref, { consistency: 'leader', ignoreSnapshots: true })).flatMap((commit) =>
    commit.events.map(({ data }) => (data as { amount: number }).amount),
  );

/** Another process: same stream, nothing cached. */
const another = (): AggregateStore => new AggregateStore(events, { random: () => 0 });

describe('loading an aggregate', () => {
  it('folds its commits, and gives the initial state when there are none', async () => {
    expect((await store.load(sum, 'main', 'sum-1')).state).toStrictEqual({ total: 0, commits: 0 });
    await store.execute(sum, key, add(3), as('c-1'));
    await another().execute(sum, key, add(4), as('c-2'));
    const loaded = await store.load(sum, 'main', 'sum-1');
    expect(loaded).toStrictEqual({ ref, state: { total: 7, commits: 2 }, revision: 2 });
  });

  it('says in which trace its newest commit was made', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const metadata = { command: 'Add', actor: 'service:test', traceparent };
    const { loaded } = await store.execute(sum, key, add(3), as('c-1', { metadata }));
    expect(loaded.trace).toBe(traceparent);
    expect((await another().load(sum, 'main', 'sum-1')).trace).toBe(traceparent);
    await another().execute(sum, key, add(4), as('c-2'));
    expect((await store.load(sum, 'main', 'sum-1')).trace).toBeUndefined();
  });

  it('reads only what came after the state that it remembers', async () => {
    await store.execute(sum, key, add(1), as('c-1'));
    await another().execute(sum, key, add(1), as('c-2'));
    await store.load(sum, 'main', 'sum-1');
    expect(events.reads.at(-1)).toStrictEqual({ consistency: 'any', after: 1, found: 1 });
  });

  it('begins with the first commit that somebody delivered, and reads on from there', async () => {
    await another().execute(sum, key, add(3), as('c-1'));
    await another().execute(sum, key, add(4), as('c-2'));
    const [first, second] = await events.read(ref, { consistency: 'leader' });
    const reads = events.reads.length;
    expect(store.begun(sum, second!)).toBeNull();
    expect(store.begun(sum, first!)).toStrictEqual({
      ref,
      state: { total: 3, commits: 1 },
      revision: 1,
    });
    expect(events.reads).toHaveLength(reads);
    expect((await store.load(sum, 'main', 'sum-1')).state).toStrictEqual({ total: 7, commits: 2 });
    expect(events.reads.at(-1)).toStrictEqual({ consistency: 'any', after: 1, found: 1 });
    expect(store.begun(sum, first!)?.revision).toBe(1);
    await store.load(sum, 'main', 'sum-1');
    expect(events.reads.at(-1)).toMatchObject({ after: 2 }); // What is remembered does not go back.
  });

  it.each([
    ['number', { aggregates: 2 }],
    ['size', { characters: 300 }], // Each has a command id of 100, and two dozen of its own.
  ])('keeps states up to a bounded %s', async (_bound, cached) => {
    const small = new AggregateStore(events, { cached });
    for (const id of ['a', 'b', 'c']) await small.execute(sum, { ...key, id }, add(1), as('c-1'));
    await small.load(sum, 'main', 'c');
    expect(events.reads.at(-1)).toMatchObject({ after: 3 });
    await small.load(sum, 'main', 'a');
    expect(events.reads.at(-1)).toMatchObject({ after: 0 });
  });

  it('does not keep a state that is larger than all that it may keep', async () => {
    const small = new AggregateStore(events, { cached: { characters: 100 } });
    await small.execute(sum, key, add(1), as('c-1'));
    await small.execute(sum, key, add(2), as('c-2'));
    expect(events.reads.at(-1)).toMatchObject({ after: 0 });
    expect((await small.load(sum, 'main', 'sum-1')).state).toStrictEqual({ total: 3, commits: 2 });
  });

  it('refuses a commit that does not follow what it knows, and forgets the aggregate', async () => {
    await store.execute(sum, key, add(1), as('c-1'));
    const commit = await events.at(1);
    const sound = events.read.bind(events);
    events.read = async () => [{ ...commit!, revision: 9, previous: 5 }];
    await expect(store.load(sum, 'main', 'sum-1')).rejects.toThrow(StreamDiverged);
    events.read = sound;
    await store.load(sum, 'main', 'sum-1');
    expect(events.reads.at(-1)).toMatchObject({ after: 0 });
  });
});

describe('executing a command', () => {
  it('appends what was decided, once, and says what', async () => {
    const executed = await store.execute(sum, key, add(3), as('c-1'));
    expect(executed).toStrictEqual({
      loaded: { ref, state: { total: 3, commits: 1 }, revision: 1 },
      events: [{ type: 'Added', data: { amount: 3 } }],
      repeated: false,
    });
    expect(await storedAmounts()).toStrictEqual([3]);
  });

  it('makes the command from the state that it decides on', async () => {
    await store.execute(sum, key, add(3), as('c-1'));
    await another().execute(sum, key, add(4), as('c-2'));
    await store.execute(sum, key, ({ total }: Sum) => add(total), as('c-3'));
    expect(await storedAmounts()).toStrictEqual([3, 4, 7]);
  });

  it('decides again, on what the leader has, when another was first', async () => {
    await another().execute(sum, key, add(5), as('c-1'));
    events.replicaEnd = 0;
    await store.execute(sum, key, ({ total }: Sum) => add(total + 1), as('c-2'));
    expect(await storedAmounts()).toStrictEqual([5, 6]);
    expect(events.reads.map(({ consistency }) => consistency)).toContain('leader');
  });

  it('lets every one of 20 concurrent commands through, in some order', async () => {
    const executions = Array.from({ length: 20 }, (_, index) =>
      another().execute(sum, key, add(index + 1), as(`c-${String(index)}`)),
    );
    await Promise.all(executions);
    expect((await store.load(sum, 'main', 'sum-1')).state).toStrictEqual({
      total: 210,
      commits: 20,
    });
  });

  it('gives up after 16 decisions, with nothing written', async () => {
    let decisions = 0;
    const overtaken = {
      decider: {
        ...sumDecider,
        decide: (command: ReturnType<typeof add>, state: Sum) => {
          decisions += 1;
          return sumDecider.decide(command, state);
        },
      },
    };
    Object.assign(events, {
      append: async () => {
        throw new RevisionConflict('hf.ev.sum.main.sum-1', 0);
      },
    });
    const refusal = await store.execute(overtaken, key, add(1), as('c-1')).catch((e: unknown) => e);
    expect(refusal).toBeInstanceOf(Contended);
    expect(refusal).toMatchObject({ code: 'contended', retryable: true, decisions: 16 });
    expect(decisions).toBe(16);
  });
});

describe('a quiet answer', () => {
  it('that rests on a stale read is decided again on what the leader has', async () => {
    await another().execute(sum, key, add(1_000), as('c-1'));
    await another().execute(sum, key, add(-500), as('c-2'));
    events.replicaEnd = 1;
    await store.execute(sum, key, add(100), as('c-3'));
    expect(await storedAmounts()).toStrictEqual([1_000, -500, 100]);
  });

  it('from the leader stands: nothing new', async () => {
    const executed = await store.execute(sum, key, add(0), as('c-1'));
    expect(executed).toMatchObject({ events: [], repeated: false });
    expect(events.reads.map(({ consistency }) => consistency)).toStrictEqual(['any', 'leader']);
  });

  it('from the leader stands: a refusal', async () => {
    const refused = store.execute(sum, key, add(2_000), as('c-1', { consistency: 'leader' }));
    await expect(refused).rejects.toThrow(new RuleViolation('sum.full'));
    expect(events.reads).toHaveLength(1);
  });
});

describe('a command that comes again', () => {
  it('gives what its first execution appended, though the aggregate has moved on', async () => {
    await store.execute(sum, key, add(3), as('c-1'));
    await store.execute(sum, key, add(4), as('c-2'));
    for (const process of [store, another()]) {
      events.passDuplicateWindow();
      const again = await process.execute(sum, key, add(3), as('c-1'));
      expect(again.events).toStrictEqual([{ type: 'Added', data: { amount: 3 } }]);
      expect(again.repeated).toBe(true);
      expect(again.loaded.state.total).toBe(7);
    }
    expect(await storedAmounts()).toStrictEqual([3, 4]);
  });

  it('finds what was written when its acknowledgement was lost', async () => {
    events.loseNextAcknowledgement();
    const lost = store.execute(sum, key, add(3), as('c-1'));
    await expect(lost).rejects.toMatchObject({ name: AppendFailed.name, outcome: 'unknown' });
    const again = await store.execute(sum, key, add(3), as('c-1'));
    expect(again).toMatchObject({ repeated: true, loaded: { state: { total: 3 } } });
    expect(await storedAmounts()).toStrictEqual([3]);
  });

  it('is recognised by the append alone, when the replica that was read lags', async () => {
    await another().execute(sum, key, add(3), as('c-1'));
    events.replicaEnd = 0;
    const again = await store.execute(sum, key, add(3), as('c-1'));
    expect(again).toMatchObject({ repeated: true, loaded: { state: { total: 3 }, revision: 1 } });
    expect(await storedAmounts()).toStrictEqual([3]);
  });

  it('with other content still gives the first result', async () => {
    await store.execute(sum, key, add(3), as('c-1'));
    const other = await another().execute(sum, key, add(9), as('c-1', { expectNew: true }));
    expect(other.events).toStrictEqual([{ type: 'Added', data: { amount: 3 } }]);
    expect(await storedAmounts()).toStrictEqual([3]);
  });
});

describe('an aggregate that is expected to be new', () => {
  it('is appended without a read', async () => {
    await store.execute(sum, key, add(3), as('c-1', { expectNew: true }));
    expect(events.reads).toStrictEqual([]);
    expect(await storedAmounts()).toStrictEqual([3]);
  });

  it('is read after all when it is not', async () => {
    await another().execute(sum, key, add(3), as('c-1'));
    await store.execute(sum, key, ({ total }: Sum) => add(total), as('c-2', { expectNew: true }));
    expect(await storedAmounts()).toStrictEqual([3, 3]);
  });

  it('is read before a quiet answer is given', async () => {
    await another().execute(sum, key, add(-1_000), as('c-1'));
    await store.execute(sum, key, add(1_500), as('c-2', { expectNew: true }));
    expect(await storedAmounts()).toStrictEqual([-1_000, 1_500]);
  });
});

describe('snapshots', () => {
  const fill = async (type: typeof sum, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1)
      await store.execute(type, key, add(1), as(`c-${String(index)}`));
  };

  it('are taken every 100 commits, and loading starts at the newest', async () => {
    await fill(sumWithSnapshots, 205);
    const loaded = await another().load(sumWithSnapshots, 'main', 'sum-1');
    expect(loaded).toStrictEqual({ ref, state: { total: 205, commits: 205 }, revision: 205 });
    expect(events.reads.at(-1)).toMatchObject({ after: 0, found: 6 });
  });

  it('are not taken of aggregates with a natural end', async () => {
    await fill(sum, 101);
    await another().load(sum, 'main', 'sum-1');
    expect(events.reads.at(-1)).toMatchObject({ found: 101 });
  });

  it('carry a state that was cached long ago over what was missed', async () => {
    const idle = another();
    await fill(sumWithSnapshots, 2);
    await idle.load(sumWithSnapshots, 'main', 'sum-1');
    for (let index = 2; index < 150; index += 1)
      await store.execute(sumWithSnapshots, key, add(1), as(`c-${String(index)}`));
    expect((await idle.load(sumWithSnapshots, 'main', 'sum-1')).state.total).toBe(150);
  });
});
