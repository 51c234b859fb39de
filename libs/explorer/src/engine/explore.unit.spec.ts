import { describe, expect, it } from '@jest/globals';
import { explore } from './explore.js';
import { Interner, Memo } from './interner.js';
import { STEP, type Model, type StepKind } from './model.js';
import { StateTable } from './state-table.js';

const nowMs = (): number => 0;
const ALL = { statesMax: 1_000 };

/** A walk on a small graph whose nodes are numbers. */
const graph = (
  edges: Readonly<Record<number, readonly (readonly [number, StepKind])[]>>,
  { bad = -1, needed = -1, wanted = -1 } = {},
): Model => ({
  width: 1,
  invariants: ['B'],
  goals: [
    {
      name: 'G',
      stuck: 'stuck',
      need: (state) => state[0] === needed,
      goal: (state) => state[0] === wanted,
    },
  ],
  init: (into) => {
    into[0] = 0;
  },
  next: (state, sink) => {
    for (const [to, kind] of edges[state[0] ?? 0] ?? []) {
      sink.to[0] = to;
      sink.step(kind, `${state[0] ?? 0}`, `${to}`, 0);
    }
  },
  broken: (state) => (state[0] === bad ? 1 : 0),
});

describe('the explorer', () => {
  it('visits every reachable state once, and says that it did', () => {
    const model = graph({
      0: [
        [1, 1],
        [2, 1],
      ],
      1: [[3, 1]],
      2: [[3, 1]],
      3: [[0, 1]],
      9: [[8, 1]],
    });
    expect(explore(model, ALL, nowMs)).toStrictEqual({
      states: 4,
      transitions: 5,
      exhausted: true,
      broken: [],
      tookMs: 0,
    });
  });

  it('shows the shortest way to what is broken', () => {
    const model = graph(
      {
        0: [
          [1, 1],
          [4, 8],
        ],
        1: [[2, 1]],
        2: [[3, 1]],
        4: [[3, 1]],
      },
      { bad: 3 },
    );
    expect(explore(model, ALL, nowMs).broken).toStrictEqual([
      { name: 'B', trace: ['0: 4', '4: 3'] },
    ]);
  });

  it('stops at what it was to find', () => {
    const model = graph({ 0: [[1, 1]], 1: [[2, 1]], 2: [[3, 1]] }, { bad: 1 });
    const found = explore(model, { until: 'B', statesMax: 1_000 }, nowMs);
    expect([found.states, found.exhausted]).toStrictEqual([2, false]);
  });

  it('gives up past its bound, and does not call that exhausted', () => {
    const model = graph({ 0: [[1, 1]], 1: [[2, 1]], 2: [[3, 1]] });
    expect(explore(model, { statesMax: 2 }, nowMs).exhausted).toBe(false);
  });

  it.each([
    ['is reached by fair steps and repairs', STEP.repair, []],
    ['is not reached by luck', STEP.choice, [{ name: 'G', trace: ['0: 1', '(stuck)'] }]],
    ['is not reached by a fault', STEP.fault, [{ name: 'G', trace: ['0: 1', '(stuck)'] }]],
  ])('a goal %s', (_what, kind, broken) => {
    const model = graph(
      {
        0: [[1, STEP.fair]],
        1: [[2, STEP.fair]],
        2: [
          [1, STEP.fair],
          [3, kind],
        ],
      },
      { needed: 1, wanted: 3 },
    );
    expect(explore(model, ALL, nowMs).broken).toStrictEqual(broken);
  });
});

describe('what the explorer remembers', () => {
  it('numbers states in the order of their arrival, however many come', () => {
    const table = new StateTable(2);
    const state = new Int32Array(2);
    const add = (one: number, other: number): number => {
      state.set([one, other]);
      return table.add(state);
    };
    const count = 100_000;
    const misnumbered = Array.from({ length: count }, (_, i) => i).filter(
      (i) => add(i % 313, i) !== i,
    );
    expect(misnumbered).toStrictEqual([]);
    expect(add(5, 5)).toBe(5);
    expect(table.size).toBe(count);
    table.read(77_777, state);
    expect([...state]).toStrictEqual([77_777 % 313, 77_777]);
  });

  it('asks a pure function once for each distinct input', () => {
    let asked = 0;
    const memo = new Memo((a, b, c, few) => {
      asked += 1;
      return [a, b, c, few].join(' ');
    });
    const wrong = Array.from({ length: 10_000 }, (_, i) => i % 5_000).filter(
      (i) => memo.of(i, i % 7, i % 11, i % 4) !== [i, i % 7, i % 11, i % 4].join(' '),
    );
    expect(wrong).toStrictEqual([]);
    expect(asked).toBe(5_000);
    expect(memo.of(4_999, 1, 5, 3)).toBe('4999 1 5 3');
  });

  it('keeps what was computed while it computed', () => {
    const memo: Memo<number> = new Memo((a) => (a === 0 ? 0 : memo.of(a - 1) + 1));
    expect(memo.of(2_000)).toBe(2_000);
    expect(memo.of(1_234)).toBe(1_234);
  });

  it('gives the same number to values with the same JSON', () => {
    const interner = new Interner<object>();
    expect([{ a: 1 }, { a: 2 }, { a: 1 }].map((value) => interner.id(value))).toStrictEqual([
      0, 1, 0,
    ]);
    expect(interner.at(1)).toStrictEqual({ a: 2 });
  });
});
