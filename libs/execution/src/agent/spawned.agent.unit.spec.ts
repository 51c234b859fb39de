import { describe, expect, it } from '@jest/globals';
import { REPORT_BOUNDS, type Frame, type SpawnReport } from '#contracts';
import { settle } from './machine.fixture.js';
import type { NodeAgent } from './node.agent.js';
import { runFrame, SPAWN, SpawnWorld, spawnFrame } from './spawn.world.fixture.js';

const PROGRAM = `${SPAWN}/1`;

/** The frame came to an agent of this world, and everything that followed has happened. */
const taken = async (
  world: SpawnWorld,
  frame: Frame = spawnFrame(),
): Promise<ReturnType<SpawnWorld['startAgent']>> => {
  const started = world.startAgent(null);
  await started.agent.takeFrame(frame);
  await settle();
  return started;
};

/** The agent dies, and a new one takes up what it left. */
const restarted = async (world: SpawnWorld, { life }: ReturnType<SpawnWorld['startAgent']>) => {
  life.kill();
  const { agent } = world.startAgent(null);
  agent.recover();
  await settle();
  return agent;
};

const laterOn = async (world: SpawnWorld): Promise<void> => {
  world.fireTimers();
  await settle();
};

const revoked = (world: SpawnWorld): void => {
  const base = { spawnId: SPAWN, now: 1, generation: 1, epoch: 1 } as const;
  world.decide({ type: 'RevokeSpawnDispatch', ...base, reason: 'its time is up' });
};

const NOT_STARTED = { status: 'failed', failure: { code: 'agent_not_started' } };

describe('an agent that is spawned on a node', () => {
  it('is claimed, started, and told of with the directory in which it works', async () => {
    const world = new SpawnWorld();
    await taken(world);
    expect(world.received).toEqual([PROGRAM]);
    expect(world.said).toMatchObject([
      {
        kind: 'started',
        spawnId: SPAWN,
        generation: 1,
        journalId: 'journal-1',
        incarnation: 'incarnation-1',
        evidence: 'its process 4711 is alive',
        workerCwd: `/work/${PROGRAM}/cwd`,
      },
    ]);
    expect(world.spawn.status).toBe('completed');
  });

  it('is told of when it ends by itself', async () => {
    const world = new SpawnWorld();
    await taken(world);
    world.endProgram('exited');
    await settle();
    expect(world.said.at(-1)).toMatchObject({ kind: 'ended', evidence: 'ended with exit code 0' });
    expect(world.entry).toMatchObject({ phase: 'ended', reported: true });
  });

  it('@SP-55 is started once, however often its frame comes', async () => {
    const world = new SpawnWorld();
    const first = await taken(world);
    await first.agent.takeFrame(spawnFrame());
    const next = await restarted(world, first);
    await next.takeFrame(spawnFrame());
    await next.takeFrame(spawnFrame({ generation: 2 }));
    await settle();
    expect(world.received).toEqual([PROGRAM]);
    expect(world.said.at(-1)).toMatchObject({
      kind: 'not-started',
      generation: 2,
      proof: 'this journal has started it before',
    });
  });

  describe('whose claim was forgotten by a restore', () => {
    const anew = spawnFrame({ epoch: 2 });

    it('@SP-55 is claimed when its order comes again, and completes its spawn: nothing is started', async () => {
      const world = new SpawnWorld();
      const { agent } = await taken(world);
      world.restore();
      await agent.takeFrame(anew);
      await settle();
      expect(world.received).toEqual([PROGRAM]);
      expect(world.kindsSaid).toEqual(['started', 'started']);
      expect(world.spawn).toMatchObject({ status: 'completed' });
    });

    it('and that has ended is told to have ended', async () => {
      const world = new SpawnWorld();
      const { agent } = await taken(world);
      world.endProgram('exited');
      await settle();
      world.restore();
      await agent.takeFrame(anew);
      await settle();
      expect(world.received).toEqual([PROGRAM]);
      expect(world.kindsSaid).toEqual(['started', 'ended', 'ended']);
      expect(world.spawn).toMatchObject({ status: 'completed' });
    });

    it('is claimed later when nobody answers: its order is not taken before', async () => {
      const faults = { claimsUnanswered: false };
      const world = new SpawnWorld(faults);
      const { agent } = await taken(world);
      world.restore();
      faults.claimsUnanswered = true;
      await expect(agent.takeFrame(anew)).rejects.toThrow('not answered');
      faults.claimsUnanswered = false;
      await agent.takeFrame(anew);
      await settle();
      expect(world.spawn).toMatchObject({ status: 'completed' });
    });
  });

  it('@SP-55 lets no other generation pass between its claim and its start', async () => {
    const world = new SpawnWorld({ claimsUnanswered: true });
    const { agent } = await taken(world);
    await agent.takeFrame(spawnFrame({ generation: 2 }));
    await settle();
    const proof = 'another generation of it is being started';
    expect(world.said).toMatchObject([{ kind: 'not-started', generation: 2, proof }]);
    expect(world.entry).toMatchObject({ phase: 'taken' });
  });

  it('is not started when its claim is refused', async () => {
    const world = new SpawnWorld();
    revoked(world);
    await taken(world);
    expect([...world.programs]).toEqual([]);
    expect(world.said).toMatchObject([
      {
        kind: 'not-started',
        disproves: 'incarnation-1',
        proof: expect.stringContaining('refused'),
      },
    ]);
  });

  it('is started all the same by a node that does not wait for its claim (negative control)', async () => {
    const world = new SpawnWorld({ startsWithoutClaim: true });
    revoked(world);
    await taken(world);
    expect(world.alive).toEqual([PROGRAM]);
    expect(world.spawn).toMatchObject({ lateEvidence: [expect.stringContaining('seen alive')] });
  });

  it('that can not be started was certainly not started, and its node says why', async () => {
    const world = new SpawnWorld({ notStartable: 'no such directory: /nowhere' });
    await taken(world);
    expect(world.said).toMatchObject([
      { kind: 'not-started', proof: 'no such directory: /nowhere' },
    ]);
    expect(world.spawn).toMatchObject(NOT_STARTED);
  });

  it('is told of in a sentence that a report can hold, whatever its reason', async () => {
    const world = new SpawnWorld({
      notStartable: `x${'ä'.repeat(REPORT_BOUNDS.sentenceBytesMax)}`,
    });
    await taken(world);
    const { proof } = world.said[0] as Extract<SpawnReport, { kind: 'not-started' }>;
    expect(Buffer.byteLength(proof)).toBe(REPORT_BOUNDS.sentenceBytesMax - 1);
    expect(proof).toMatch(/^xä+$/);
  });

  it('takes no place among the runs of its node, and waits for none', async () => {
    const world = new SpawnWorld();
    world.maxRuns = 1;
    const { agent } = world.startAgent(null);
    for (const frame of [runFrame('run-1'), runFrame('run-2'), spawnFrame()])
      await agent.takeFrame(frame);
    await settle();
    expect(world.alive).toEqual(['run-1/1', PROGRAM]);
    expect(agent.lease()).toMatchObject({ running: 1, waiting: 1 });
  });

  it('is not in the open set of the lease, which is compared with runs', async () => {
    const world = new SpawnWorld();
    const { agent } = await taken(world);
    await agent.takeFrame(runFrame('run-1'));
    await settle();
    expect(agent.lease()).toMatchObject({ openCount: 1, openHash: 'run-1/1' });
  });

  it('@SP-58 needs a harness that is ready: the lease names those that are not', async () => {
    const world = new SpawnWorld();
    const { agent } = world.startAgent(null);
    world.notReady = ['sample'];
    expect(agent.lease().notReady).toEqual(['sample']);
    world.notReady = [];
    expect(agent.lease().notReady).toEqual([]);
  });
});

describe('what a node says of an agent that it spawned', () => {
  it.each(['report', 'answer'] as const)(
    'is said again until it is heard, however long that takes: the %s is lost',
    async (lost) => {
      const faults: { lost: () => 'report' | 'answer' | 'nothing' } = { lost: () => lost };
      const world = new SpawnWorld(faults);
      await taken(world);
      for (let again = 0; again < 30; again += 1) await laterOn(world);
      faults.lost = () => 'nothing';
      await laterOn(world);
      const heard = world.said.length;
      expect(heard).toBe(32);
      expect(new Set(world.said.map((report) => JSON.stringify(report))).size).toBe(1);
      await laterOn(world);
      expect(world.said).toHaveLength(heard);
      expect(world.spawn.status).toBe('completed');
    },
  );

  it('is its end, once it has ended, though nobody heard that it was started', async () => {
    const faults: { lost: (report: SpawnReport) => 'report' | 'nothing' } = {
      lost: ({ kind }) => (kind === 'started' ? 'report' : 'nothing'),
    };
    const world = new SpawnWorld(faults);
    await taken(world);
    world.endProgram('exited');
    await settle();
    await laterOn(world);
    expect(world.kindsSaid).toEqual(['started', 'ended']);
    expect(world.spawn.status).toBe('completed');
  });

  it('is that it ended, at least, when how it ended is not taken', async () => {
    const malformed = (report: SpawnReport): boolean =>
      report.kind === 'ended' && report.workerCwd !== null;
    const world = new SpawnWorld({ malformed });
    await taken(world);
    world.endProgram('exited');
    await settle();
    expect(world.said.at(-1)).toMatchObject({ kind: 'ended', workerCwd: null });
    expect(world.entry).toMatchObject({ reported: true });
  });

  it('is not that it ended while something of it is alive', async () => {
    const world = new SpawnWorld();
    const { agent } = await taken(world);
    world.orphans = ['4712'];
    world.endProgram('gone');
    await settle();
    expect(world.kindsSaid).toEqual(['started', 'started']);
    expect(world.entry).toMatchObject({ phase: 'ended', reported: false });
    await agent.shutDown(new AbortController().signal); // It goes on without its node: nobody waits for it.

    world.orphans = [];
    const next = world.startAgent(null);
    next.agent.recover();
    await settle();
    expect(world.said.at(-1)).toMatchObject({ kind: 'ended' });
  });
});

describe('a node that is asked about an agent (@SP-78)', () => {
  const asked = async (world: SpawnWorld, agent: NodeAgent, question: 'status' | 'stop') => {
    const before = world.said.length;
    const { answer } = await world.ask(agent, question);
    await settle();
    return [answer, ...world.said.slice(before)];
  };

  it('says again that it lives', async () => {
    const world = new SpawnWorld();
    const { agent } = await taken(world);
    expect(await asked(world, agent, 'status')).toMatchObject(['running', { kind: 'started' }]);
  });

  it('says it with one voice, while nobody hears it', async () => {
    const world = new SpawnWorld({ lost: () => 'report' });
    const { agent } = await taken(world);
    expect(await asked(world, agent, 'status')).toEqual(['running']);
    await laterOn(world);
    expect(world.said).toHaveLength(2);
  });

  it('says again how it ended', async () => {
    const world = new SpawnWorld();
    const { agent } = await taken(world);
    world.endProgram('exited');
    await settle();
    expect(await asked(world, agent, 'status')).toMatchObject(['ended', { kind: 'ended' }]);
  });

  it('says again that it was never started', async () => {
    const world = new SpawnWorld({ notStartable: 'no such directory: /nowhere' });
    const { agent } = await taken(world);
    expect(await asked(world, agent, 'status')).toMatchObject([
      'closed',
      { kind: 'not-started', disproves: 'incarnation-1' },
    ]);
  });

  it('closes what it never saw, and disproves the claim of whoever is said to hold it', async () => {
    const world = new SpawnWorld();
    const holder = { journalId: 'journal-1', incarnation: 'incarnation-9' };
    world.spawn = { ...world.spawn, status: 'claimed', holder };
    const { agent } = world.startAgent(null);
    const [answer, ...said] = await asked(world, agent, 'status');
    expect(answer).toBe('never-seen');
    expect(said[0]).toMatchObject({ kind: 'not-started', disproves: 'incarnation-9' });
    expect(world.spawn).toMatchObject(NOT_STARTED);
    await agent.takeFrame(spawnFrame());
    await settle();
    expect([...world.programs]).toEqual([]);
  });

  it('says of what it never saw, also after a restart, that it is no run', async () => {
    const world = new SpawnWorld({ lost: () => 'report' });
    const first = world.startAgent(null);
    await asked(world, first.agent, 'status');
    await restarted(world, first);
    const ofSecond = world.said.filter(({ incarnation }) => incarnation === 'incarnation-2');
    expect(ofSecond).toMatchObject([{ kind: 'not-started', disproves: 'incarnation-1' }]);
    expect(world.saidOfRuns).toEqual([]);
  });

  it('takes it down the ladder when it is to stop, and proves that it has ended', async () => {
    const world = new SpawnWorld();
    const { agent } = await taken(world);
    expect((await asked(world, agent, 'stop'))[0]).toBe('stopping');
    expect(world.said.at(-1)).toMatchObject({ kind: 'ended', evidence: 'ended by a stop' });
    expect(world.programs.get(PROGRAM)).toBe('gone');
  });
});

describe('a node whose agent process ends or dies', () => {
  it('leaves what it spawned alive when it ends in order, and takes it up at the next start', async () => {
    const world = new SpawnWorld();
    const first = await taken(world);
    await first.agent.takeFrame(runFrame('run-1'));
    await settle();
    await first.agent.shutDown(new AbortController().signal);
    expect(world.alive).toEqual([PROGRAM]);
    expect(world.programs.get('run-1/1')).toBe('gone');

    const agent = await restarted(world, first);
    expect(world.kindsSaid).toEqual(['started', 'started']);
    expect(world.said.at(-1)).toMatchObject({ incarnation: 'incarnation-2' });
    expect(agent.lease()).toMatchObject({ recovering: false, openCount: 0, running: 0 });
    world.endProgram('exited');
    await settle();
    expect(world.kindsSaid.at(-1)).toBe('ended');
  });

  it('closes what it had not started when it ends in order', async () => {
    const world = new SpawnWorld({ claimsUnanswered: true });
    const { agent } = await taken(world);
    await agent.shutDown(new AbortController().signal);
    expect(world.entry).toMatchObject({ phase: 'closed', reported: true });
    expect(world.kindsSaid).toEqual(['not-started']);
  });

  it('knows of a program that waited, and was never told to go, that nothing ran', async () => {
    const world = new SpawnWorld();
    // Dies with `go` in its journal: taken, claimed, prepared, journalled, and journalled again.
    const { agent, life } = world.startAgent({ call: 5, side: 'after' });
    await agent.takeFrame(spawnFrame());
    await settle();
    expect([world.entry?.phase, world.received]).toEqual(['go', []]);
    await restarted(world, { agent, life });
    expect(world.said).toMatchObject([
      { kind: 'not-started', disproves: 'incarnation-1', proof: expect.stringContaining('never') },
    ]);
    expect(world.spawn).toMatchObject(NOT_STARTED);
  });

  /** One life of the agent: its frame comes, it is asked, told to stop at the end, and timers are due. */
  const live = async (
    world: SpawnWorld,
    { agent, life }: ReturnType<SpawnWorld['startAgent']>,
    stops: boolean,
  ): Promise<void> => {
    const act = async (what: () => Promise<unknown>): Promise<void> => {
      if (life.dead) return;
      await Promise.race([what(), life.death]);
      await settle();
      world.fireTimers();
      await settle();
    };
    agent.recover();
    await settle();
    await act(() => agent.takeFrame(spawnFrame()));
    await act(() => world.ask(agent, 'status'));
    if (stops) await act(() => world.ask(agent, 'stop'));
  };

  const callsOf = async (stops: boolean): Promise<number> => {
    const world = new SpawnWorld();
    const started = world.startAgent(null);
    await live(world, started, stops);
    return started.life.calls;
  };

  describe.each([
    ['shims that say that they never went', false],
    ['shims that leave nothing', true],
  ] as const)('@SP-55 @SP-80 at any of its port calls, with %s', (_what, silentShims) => {
    it.each([false, true])(
      'starts it once at most, and says what became of it (stopped: %s)',
      async (stops) => {
        const calls = await callsOf(stops);
        expect(calls).toBeGreaterThan(5);
        for (let call = 1; call <= calls; call += 1)
          for (const side of ['before', 'after'] as const) {
            const world = new SpawnWorld();
            world.silentShims = silentShims;
            for (const point of [{ call, side }, { call: 2, side }, null]) {
              const started = world.startAgent(point);
              await live(world, started, stops);
              if (!started.life.dead) break;
            }
            const starts = world.received.length;
            const where = `${side} call ${String(call)}`;
            expect([where, starts <= 1]).toEqual([where, true]);
            expect([where, world.alive.length]).toEqual([where, stops ? 0 : starts]);
            expect([where, verdictOf(world, silentShims)]).toEqual([where, 'true']);
            expect([where, world.entriesOf(SPAWN).entries.length]).toEqual([where, 1]);
          }
      },
      120_000,
    );
  });

  /** Whether what is said of the spawn is what happened on the machine; else what is wrong. */
  const verdictOf = ({ spawn, received, entry }: SpawnWorld, silentShims: boolean): string => {
    const { status } = spawn;
    const wentUnseen = silentShims && entry?.phase === 'ended'; // Nobody can tell whether it went.
    if (received.length === 1 || wentUnseen) return status === 'completed' ? 'true' : status;
    // Never claimed: its saga takes it back. Claimed and not started: its node has said so.
    return status === 'dispatched' || spawn.failure?.code === 'agent_not_started' ? 'true' : status;
  };
});
