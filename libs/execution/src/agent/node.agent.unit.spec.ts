import { describe, expect, it } from '@jest/globals';
import type { MortalProcess } from '#testing';
import type { RunReport } from '#contracts';
import { isSettled } from '#runs/contract';
import { settle } from './machine.fixture.js';
import { RUN, World } from './world.fixture.js';
import type { NodeAgent } from './node.agent.js';

type Ending = 'exited' | 'gone';
interface Script {
  readonly attempts: 'single' | 'resumable';
  readonly ending: Ending;
  readonly stop: boolean;
}

/** One life of the agent: takes what is there, is asked, sees the program end. Stops early where the agent dies. */
const live = async (
  world: World,
  agent: NodeAgent,
  life: MortalProcess,
  script: Script,
): Promise<void> => {
  const act = async (what: () => Promise<unknown>): Promise<void> => {
    if (life.dead) return;
    await Promise.race([what(), life.death]);
    await settle();
  };
  await act(async () => {
    agent.recover();
    await settle();
  });
  for (let round = 0; round < 8; round += 1) {
    world.dispatch();
    for (const frame of world.frames) await act(() => agent.takeFrame(frame));
    if (script.stop && round === 0) stop(world);
    if (script.stop) await act(() => world.ask(agent, 'stop'));
    await act(async () => {
      world.endProgram(script.ending);
      await settle();
    });
    await act(async () => {
      world.fireTimers();
      await settle();
    });
    if (!isSettled(world.run.status)) await act(() => world.askAsSaga(agent));
  }
};

const stop = (world: World): void => {
  const base = { runId: RUN, now: 0, epoch: 1 } as const;
  world.decide({
    type: 'RequestRunStop',
    ...base,
    stopId: 's',
    reason: 'r',
    principal: 'user:ada',
  });
};

/** Dies at the given call, is started again up to three times, and then lives on. */
const runWithCrash = async (
  world: World,
  call: number,
  side: 'before' | 'after',
  script: Script,
): Promise<void> => {
  const points = [{ call, side }, { call, side }, { call: 1, side: 'after' as const }, null];
  for (const point of points) {
    const { agent, life } = world.startAgent(point);
    await live(world, agent, life, script);
    if (!life.dead) return;
  }
};

const SCRIPTS: readonly Script[] = [
  { attempts: 'single', ending: 'exited', stop: false },
  { attempts: 'single', ending: 'gone', stop: false },
  { attempts: 'single', ending: 'exited', stop: true },
  { attempts: 'resumable', ending: 'exited', stop: false },
  { attempts: 'resumable', ending: 'gone', stop: false },
  { attempts: 'resumable', ending: 'gone', stop: true },
];

const crashPointsOf = async (script: Script): Promise<number> => {
  const world = new World(script.attempts);
  const { agent, life } = world.startAgent(null);
  await live(world, agent, life, script);
  return life.calls;
};

describe('a node-agent that dies before or after any of its port calls', () => {
  for (const script of SCRIPTS) {
    const { attempts, ending, stop: stopped } = script;
    it(`sends a ${attempts} prompt once and ends settled or unknown (program ${ending}${stopped ? ', stopped' : ''})`, async () => {
      const points = await crashPointsOf(script);
      expect(points).toBeGreaterThan(5);
      for (let call = 1; call <= points; call += 1)
        for (const side of ['before', 'after'] as const) {
          const world = new World(attempts);
          await runWithCrash(world, call, side, script);
          const where = `${side} call ${String(call)}`;
          expect([where, world.received.length]).toEqual([
            where,
            Math.min(1, world.received.length),
          ]);
          const { status } = world.run;
          expect([where, isSettled(status) || status === 'unknown', status]).toEqual([
            where,
            true,
            status,
          ]);
          if (stopped) expect([where, status]).not.toEqual([where, 'completed']);
          const alive = [...world.programs.values()].filter((state) => state === 'running');
          expect([where, alive]).toEqual([where, []]);
        }
    }, 120_000);
  }

  it('passes on the output of a program that ended while no agent was there', async () => {
    const world = new World('single');
    const first = world.startAgent(null);
    first.agent.recover();
    world.dispatch();
    for (const frame of world.frames) await first.agent.takeFrame(frame);
    await settle();
    first.life.kill();
    world.endProgram('exited');
    const before = world.accompanied;
    const second = world.startAgent(null);
    second.agent.recover();
    await settle();
    expect(world.run.status).toBe('completed');
    expect(world.accompanied).toBe(before + 1);
  });

  /** The program runs, its agent is dead, and no look of the next one at it succeeds before `mended`. */
  const withTroubledLook = async () => {
    const faults: { trouble?: Error } = {};
    const world = new World('single', faults);
    const first = world.startAgent(null);
    world.dispatch();
    for (const frame of world.frames) await first.agent.takeFrame(frame);
    await settle();
    first.life.kill();
    faults.trouble = new Error('nobody can look');
    const { agent } = world.startAgent(null);
    agent.recover();
    await settle();
    return { world, agent, mended: () => delete faults.trouble };
  };

  it('tells of a look that failed, and looks again', async () => {
    const { world, agent, mended } = await withTroubledLook();
    expect(world.told).toBe(1);
    expect(agent.lease()).toMatchObject({ recovering: false, openCount: 0 });
    mended();
    world.fireTimers();
    await settle();
    expect(agent.lease()).toMatchObject({ openCount: 1 });
    world.endProgram('exited');
    await settle();
    expect(world.run.status).toBe('completed');
  });

  it('looks for as long as it fails, answers meanwhile, and keeps an order to stop', async () => {
    const { world, agent, mended } = await withTroubledLook();
    for (let again = 0; again < 3; again += 1) {
      world.fireTimers();
      await settle();
    }
    expect(world.told).toBe(4);
    expect(await world.ask(agent, 'status')).toMatchObject({ answer: 'running' });
    stop(world);
    expect(await world.ask(agent, 'stop')).toMatchObject({ answer: 'stopping' });
    await settle();
    expect(world.programs.get(`${RUN}/1`)).toBe('gone');
    expect(world.run.status).toBe('stopping');
    mended();
    world.fireTimers();
    await settle();
    expect(world.run.status).toBe('stopped');
  });

  it('says again, when it is told to stop, what was no news when it was said', async () => {
    const world = new World('single');
    const first = world.startAgent({ call: 2, side: 'before' }); // Dies as its request to claim leaves.
    world.dispatch();
    for (const frame of world.frames)
      await Promise.race([first.agent.takeFrame(frame), first.life.death]);
    await settle();
    const second = world.startAgent(null);
    second.agent.recover();
    await settle();
    expect(world.entries.entries).toMatchObject([{ phase: 'closed', reported: true }]);

    const { generation } = world.run as { generation: number };
    const late = { runId: RUN, generation, journalId: 'journal-1', incarnation: 'incarnation-1' };
    world.decide({ type: 'ClaimRun', now: 0, epoch: 1, ...late });
    stop(world);
    await world.ask(second.agent, 'stop');
    await settle();
    expect(world.run.status).toBe('stopped');
  });

  it('says that nothing is left, once what a dead program left alive has ended by itself', async () => {
    const world = new World('single');
    const first = world.startAgent(null);
    world.dispatch();
    for (const frame of world.frames) await first.agent.takeFrame(frame);
    await settle();
    world.orphans = ['4711'];
    world.endProgram('gone');
    await settle();
    expect(world.run).toMatchObject({ status: 'unknown', unknown: { fenced: false } });
    await world.ask(first.agent, 'status');
    await settle();
    expect(world.run).toMatchObject({ unknown: { fenced: false } });

    first.life.kill();
    const second = world.startAgent(null);
    second.agent.recover();
    world.orphans = [];
    await world.ask(second.agent, 'status');
    await settle();
    expect(world.run).toMatchObject({ status: 'unknown', unknown: { fenced: true } });
    expect(world.received).toEqual([`${RUN}/1`]);
  });

  it('starts nothing while its claim is not answered', async () => {
    const world = new World('single', { claimsUnanswered: true });
    const { agent } = world.startAgent(null);
    world.dispatch();
    for (const frame of world.frames) await agent.takeFrame(frame);
    for (let tries = 0; tries < 5; tries += 1) {
      await settle();
      world.fireTimers();
    }
    expect([...world.programs]).toEqual([]);
    expect(world.entries.entries).toMatchObject([{ phase: 'taken' }]);
  });

  it('says at least that it ended, when how it ended is not taken', async () => {
    const malformed = (report: RunReport): boolean =>
      report.kind === 'ended' && report.end.how === 'completed';
    const world = new World('single', { malformed });
    const { agent } = world.startAgent(null);
    world.dispatch();
    for (const frame of world.frames) await agent.takeFrame(frame);
    await settle();
    world.endProgram('exited');
    await settle();
    expect(world.run).toMatchObject({ status: 'unknown', unknown: { fenced: true } });
    expect(world.entries.entries).toMatchObject([{ phase: 'ended', reported: true }]);
  });

  it('is caught when it starts without the claim (negative control)', async () => {
    const world = new World('single', { startsWithoutClaim: true });
    const { agent, life } = world.startAgent(null);
    await live(world, agent, life, SCRIPTS[0] as Script);
    // The run was never claimed, so its node's report of an end changes nothing: it never ends.
    expect(isSettled(world.run.status) || world.run.status === 'unknown').toBe(false);
    expect(world.received).toEqual([`${RUN}/1`]);
  });
});
