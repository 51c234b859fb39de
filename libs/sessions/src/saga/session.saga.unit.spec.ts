import { describe, expect, it } from '@jest/globals';
import { AggregateStore } from '#event-store';
import { LeaderAhead } from '#event-store/in-memory';
import type { RunsForSessions } from '#runs/contract';
import { MortalProcess, type CrashPoint } from '#testing';
import { SESSION_AGGREGATE, StoredSessions } from '../command/index.js';
import type { SessionState } from '../domain/index.js';
import { SessionSaga } from './index.js';

const SESSION = 'opener';
const BY = { actor: 'test' };

/** A session, the runs that name it, and whom the saga told that it may run. */
class SessionWorld {
  readonly events = new LeaderAhead(() => 1_000);
  readonly over = new Set<string>();
  readonly told: string[] = [];
  readonly runs: RunsForSessions = {
    read: async (_workspace, runId) => ({
      runId,
      sessionId: SESSION,
      agent: 'echo',
      exists: true,
      over: this.over.has(runId),
    }),
  };
  private readonly clock = { now: () => 1_000 };

  async enqueue(...runIds: readonly string[]): Promise<void> {
    const places = new StoredSessions(new AggregateStore(this.events), this.runs, this.clock);
    for (const runId of runIds) await places.enqueue('main', SESSION, runId, BY);
  }

  async state(): Promise<SessionState> {
    const store = new AggregateStore(this.events);
    return (await store.load(SESSION_AGGREGATE, 'main', SESSION, 'leader')).state;
  }

  /** One process of the saga, woken once as after a settlement. @returns its calls through ports. */
  async process(point: CrashPoint | null, wakeActive = false): Promise<number> {
    const process = new MortalProcess(point);
    const store = process.through(new AggregateStore(this.events), ['load', 'append']);
    const saga = new SessionSaga(store, process.through(this.runs, ['read']), this.clock);
    saga.wakes(
      process.through({ advance: async (_workspace, runId) => void this.told.push(runId) }, [
        'advance',
      ]),
    );
    await Promise.race([saga.advance('main', SESSION, wakeActive), process.death]);
    return process.calls;
  }
}

describe('a session', () => {
  it('gives its place to nobody while the run that holds it is not over', async () => {
    const world = new SessionWorld();
    await world.enqueue('a', 'b');
    await world.process(null);
    expect((await world.state()).active).toBe(SESSION);
    expect(world.told).toEqual([]);
  });

  it('gives its place to the first who waits, and tells it', async () => {
    const world = new SessionWorld();
    await world.enqueue('a', 'b');
    world.over.add(SESSION);
    await world.process(null);
    expect(await world.state()).toMatchObject({ active: 'a', queue: ['b'] });
    expect(world.told).toEqual(['a']);
  });

  it('goes past whoever was stopped while it waited', async () => {
    const world = new SessionWorld();
    await world.enqueue('a', 'b', 'c');
    for (const runId of [SESSION, 'a', 'b']) world.over.add(runId);
    await world.process(null);
    expect(await world.state()).toMatchObject({ active: 'c', queue: [] });
    expect(world.told).toEqual(['c']);
  });

  it('in which nobody waits is left as it is', async () => {
    const world = new SessionWorld();
    world.over.add(SESSION);
    await world.process(null);
    expect(await world.events.end()).toBe(0);
    expect(world.told).toEqual([]);
  });

  it('tells whoever was admitted by its own place in the queue', async () => {
    const world = new SessionWorld();
    world.over.add(SESSION);
    await world.enqueue('a'); // Admitted at once: the opener is over.
    await world.process(null, true);
    expect(world.told).toEqual(['a']);
  });

  it('advances a place once, whoever else advances it at the same time', async () => {
    const world = new SessionWorld();
    await world.enqueue('a', 'b');
    world.over.add(SESSION);
    await Promise.all([world.process(null), world.process(null), world.process(null)]);
    expect(await world.state()).toMatchObject({ active: 'a', queue: ['b'] });
    expect(await world.events.end()).toBe(3);
  });
});

describe('a saga of sessions that dies before and after every call of its ports', () => {
  it('is followed by one that gives the place to the same run, and tells it', async () => {
    const setUp = async (): Promise<SessionWorld> => {
      const world = new SessionWorld();
      await world.enqueue('stopped', 'next', 'last');
      for (const runId of [SESSION, 'stopped']) world.over.add(runId);
      return world;
    };
    const calls = await (await setUp()).process(null);
    expect(calls).toBeGreaterThan(6);
    for (let call = 1; call <= calls; call += 1)
      for (const side of ['before', 'after'] as const) {
        const world = await setUp();
        await world.process({ call, side });
        // What woke the dead one comes again; its own commit, if there was one, wakes as well.
        await world.process(null);
        await world.process(null, true);
        expect({ call, side, ...(await world.state()) }).toMatchObject({
          active: 'next',
          queue: ['last'],
        });
        expect(world.told).toContain('next');
        expect(world.told).not.toContain('last');
      }
  });
});
