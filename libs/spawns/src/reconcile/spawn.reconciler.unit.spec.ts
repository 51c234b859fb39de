import { describe, expect, it } from '@jest/globals';
import type { OpenSpawn } from './open-spawns.js';
import { SpawnReconciler } from './spawn.reconciler.js';

const spawnOf = (index: number): OpenSpawn => ({
  workspace: 'main',
  spawnId: `spawn-${String(index).padStart(4, '0')}`,
  nodeId: 'node-1',
  status: 'pending',
  claimedAt: 0,
  retryAfterAt: null,
});

/** Rows, what was handed on, and the power to let the sagas answer. */
const world = (count: number) => {
  const rows = Array.from({ length: count }, (_, index) => spawnOf(index));
  const handedOn: string[] = [];
  const answers: (() => void)[] = [];
  let now = 1_000;
  const reconciler = new SpawnReconciler(
    {
      page: ({ after, limit }) =>
        Promise.resolve(
          rows.filter(({ spawnId }) => spawnId > (after?.spawnId ?? '')).slice(0, limit),
        ),
    },
    {
      advance: ({ spawnId }) => {
        handedOn.push(spawnId);
        return new Promise((resolve) => answers.push(resolve));
      },
    },
    { now: () => now },
    500,
  );
  return {
    reconciler,
    handedOn,
    answer: async () => {
      for (const resolve of answers.splice(0)) resolve();
      await Promise.resolve();
      await Promise.resolve();
    },
    pass: (ms: number) => {
      now += ms;
      return reconciler.pass();
    },
  };
};

describe('the reconciler of spawns', () => {
  it('hands on what may need a step', async () => {
    const { handedOn, pass } = world(2);
    expect(await pass(0)).toEqual({ looked: 2, advanced: 2, remaining: 0 });
    expect(handedOn).toEqual(['spawn-0000', 'spawn-0001']);
  });

  it('looks at more than one page', async () => {
    const { pass } = world(150);
    expect(await pass(0)).toMatchObject({ looked: 150, advanced: 64, remaining: 86 });
  });

  it('begins where it was too busy to go on: nobody waits behind lower ids for ever', async () => {
    const { answer, handedOn, pass } = world(150);
    await pass(0);
    await answer();
    await pass(500); // Time enough for the first ones to be due again.
    await answer();
    await pass(500);
    expect(new Set(handedOn).size).toBe(150);
    expect(handedOn).toHaveLength(192);
  });

  it('leaves alone what is still being followed, and what was handed on just now', async () => {
    const { answer, pass } = world(1);
    await pass(0);
    expect(await pass(10_000)).toMatchObject({ advanced: 0, remaining: 0 });
    await answer();
    expect(await pass(500)).toMatchObject({ advanced: 1 });
    await answer();
    expect(await pass(499)).toMatchObject({ advanced: 0 });
  });
});
