import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '#testing';
import { Sweeper, type ActivityLock } from './sweeper.js';

/** One lock for several replicas, as a database gives it. */
class OneLock {
  #holder: object | null = null;

  for(replica: object): ActivityLock {
    return {
      tryAcquire: () => {
        this.#holder ??= replica;
        return Promise.resolve(this.#holder === replica);
      },
      holds: () => this.#holder === replica,
    };
  }

  lose(): void {
    this.#holder = null;
  }
}

const sweeperOf = (
  lock: ActivityLock,
  pass: () => Promise<void>,
  problems: unknown[] = [],
): Sweeper =>
  new Sweeper({
    name: 'sweep',
    everyMs: 1,
    lock,
    pass,
    onProblem: (problem) => problems.push(problem),
  });

describe('a sweeper', () => {
  it('never runs two passes at once, and goes on after one that failed', async () => {
    const problems: unknown[] = [];
    let inside = 0;
    let most = 0;
    let passes = 0;
    const sweeper = sweeperOf(
      new OneLock().for({}),
      async () => {
        most = Math.max(most, (inside += 1));
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
        if ((passes += 1) === 2) throw new Error('broken');
      },
      problems,
    );
    sweeper.start();
    await waitUntil('several passes', () => passes >= 4);
    await sweeper.stop();
    expect(most).toBe(1);
    expect(problems).toHaveLength(1);
  });

  it('is active in one replica only, and taken over when the lock is lost', async () => {
    const lock = new OneLock();
    const counts = [0, 0];
    const [first, second] = [0, 1].map((index) =>
      sweeperOf(lock.for({ index }), () => {
        counts[index] = (counts[index] ?? 0) + 1;
        return Promise.resolve();
      }),
    ) as [Sweeper, Sweeper];
    first.start();
    await waitUntil('the first sweeps', () => (counts[0] ?? 0) > 1);
    second.start();
    await waitUntil('the first goes on', () => (counts[0] ?? 0) > 3);
    expect(counts[1]).toBe(0);
    await first.stop();
    lock.lose();
    await waitUntil('the second takes over', () => (counts[1] ?? 0) > 0);
    await second.stop();
  });
});
