import { describe, expect, it } from '@jest/globals';
import type { CrashPoint } from '#testing';
import type { RunSagaPorts } from './index.js';
import { RUN } from '../domain/index.js';
import { RUN_ID, type NodeBehaviour, type Scenario } from './run.scenario.fixture.js';
import { RunWorld, TRACE, type WokenBy } from './run.world.fixture.js';

const node = (over: Partial<NodeBehaviour> = {}): NodeBehaviour => ({
  takesFrom: 1,
  afterStart: 'completes',
  lease: 'alive',
  ...over,
});

const SCENARIOS: readonly [string, Scenario, { readonly end: string; readonly starts: number }][] =
  [
    [
      'a run that its node completes',
      { before: [], node: node() },
      { end: 'completed', starts: 1 },
    ],
    [
      'a run whose first frame nobody takes',
      { before: [], node: node({ takesFrom: 2 }) },
      { end: 'completed', starts: 1 },
    ],
    [
      'a run whose node dies with it',
      { before: ['claimed'], node: node({ afterStart: 'dies' }) },
      { end: 'unknown', starts: 1 },
    ],
    [
      'a running run that is stopped',
      { before: ['claimed', 'stop'], node: node() },
      { end: 'stopped', starts: 1 },
    ],
    [
      'a running run that is stopped when its node is dead',
      { before: ['claimed', 'stop'], node: node({ afterStart: 'dies' }) },
      { end: 'unknown', starts: 1 },
    ],
    [
      'a run that waits since before a restore, and that no journal knows',
      { before: ['restore'], node: node() },
      { end: 'completed', starts: 1 },
    ],
    [
      'a run that waits since before a restore, and that a journal has started',
      { before: ['restore'], node: node({ forgottenStart: { generation: 1 } }) },
      { end: 'unknown', starts: 0 },
    ],
  ];

/** Restarts: two that die at the same place again, and one that lives; then the node has its last word. */
const live = async (
  scenario: Scenario,
  point: CrashPoint | null,
  sabotage?: (ports: RunSagaPorts, world: RunWorld) => RunSagaPorts,
  wokenBy?: WokenBy,
): Promise<RunWorld> => {
  const world = await RunWorld.of(scenario, wokenBy);
  for (const dying of [point, point, null, null]) {
    await world.process(dying, sabotage);
    await world.turn();
  }
  return world;
};

const pointsOf = async (scenario: Scenario, wokenBy?: WokenBy): Promise<readonly CrashPoint[]> => {
  const world = await RunWorld.of(scenario, wokenBy);
  const calls = await world.process(null);
  return Array.from({ length: calls }, (_, index) => index + 1).flatMap((call) => [
    { call, side: 'before' } as const,
    { call, side: 'after' } as const,
  ]);
};

/** What must hold however often the saga dies. */
const brokenBy = async (world: RunWorld): Promise<readonly string[]> => {
  const { status, unknown } = await world.state();
  const broken = [...world.violations];
  if (world.starts > 1) broken.push(`the prompt was sent ${String(world.starts)} times`);
  const generations = world.frames.map(({ generation }) => generation);
  if (new Set(generations).size !== generations.length) broken.push('a generation has two frames');
  if (!['completed', 'failed', 'stopped', 'abandoned'].includes(status) && unknown === null)
    broken.push(`it ends as ${status}`);
  return broken;
};

describe('a saga that dies before and after every call of its ports, and is started again', () => {
  describe.each(SCENARIOS)('%s', (_what, scenario, { end, starts }) => {
    it.each<WokenBy>(['a request', 'its first commit'])(
      'and woken by %s, ends where it ends without a crash, and is sent at most once',
      async (wokenBy) => {
        const points = await pointsOf(scenario, wokenBy);
        expect(points.length).toBeGreaterThan(3);
        for (const point of [null, ...points]) {
          const world = await live(scenario, point, undefined, wokenBy);
          const { status } = await world.state();
          expect({ point, status, starts: world.starts, broken: await brokenBy(world) }).toEqual({
            point,
            status: end,
            starts,
            broken: [],
          });
        }
      },
    );
  });
});

/** Ports as they are, for those that change one of them. */
const passedOn = (ports: RunSagaPorts): RunSagaPorts => ({
  now: () => ports.now(),
  begun: (commit) => ports.begun(commit),
  load: (workspace, runId) => ports.load(workspace, runId),
  append: (run, command) => ports.append(run, command),
  ask: (workspace, name, request) => ports.ask(workspace, name, request),
  journalsOf: (workspace, name) => ports.journalsOf(workspace, name),
  publishFrame: (frame) => ports.publishFrame(frame),
});

/** Publishes what it is about to intend. */
const effectBeforeIntent = (ports: RunSagaPorts): RunSagaPorts => ({
  ...passedOn(ports),
  append: async (run, command) => {
    if (command.type === 'DispatchRun' && run.state.status !== 'none')
      await ports.publishFrame({
        workspace: 'main',
        node: command.node,
        journalId: command.journalId,
        runId: RUN_ID,
        sessionId: RUN_ID,
        agent: 'echo',
        epoch: command.epoch,
        generation: command.generation,
        kind: 'initial',
        prompt: 'Hello',
        thread: null,
        turn: null,
        key: RUN_ID,
      });
    return ports.append(run, command);
  },
});

/** Takes a run that it finds running for one that was lost with its predecessor, and runs it again. */
const runAgainOnResumption = (ports: RunSagaPorts, world: RunWorld): RunSagaPorts => ({
  ...passedOn(ports),
  load: async (workspace, runId) => {
    const run = await ports.load(workspace, runId);
    if (run.state.status !== 'running') return run;
    const { generation } = run.state;
    await world.force([
      {
        type: 'RunDispatchRevoked',
        data: { runId, at: ports.now(), generation, reason: 'resumed' },
      },
    ]);
    return ports.load(workspace, runId);
  },
});

/** Writes what it decided on whatever it was shown, without a compare. */
const intentOnOldNews = (ports: RunSagaPorts, world: RunWorld): RunSagaPorts => ({
  ...passedOn(ports),
  append: async (run, command) => {
    await world.force(RUN.decide(command, run.state));
    return ports.load(run.ref.workspace, run.ref.id);
  },
});

describe('the checks of that test', () => {
  const broken = async (
    scenario: Scenario,
    sabotage: (ports: RunSagaPorts, world: RunWorld) => RunSagaPorts,
    wokenBy?: WokenBy,
  ): Promise<readonly string[]> => {
    const found = [];
    for (const point of [null, ...(await pointsOf(scenario, wokenBy))])
      found.push(...(await brokenBy(await live(scenario, point, sabotage, wokenBy))));
    return found;
  };

  it('see a saga that acts before it has recorded the intent', async () => {
    expect(await broken({ before: [], node: node() }, effectBeforeIntent)).toContain(
      'frame 1 left before its intent',
    );
  });

  it('see a saga that runs again what it finds running', async () => {
    expect(await broken({ before: ['claimed'], node: node() }, runAgainOnResumption)).toContain(
      'the prompt was sent 2 times',
    );
  });

  it('see a saga that writes on old news', async () => {
    const found = await broken(
      { before: ['claimed'], node: node() },
      intentOnOldNews,
      'its first commit',
    );
    expect(found).toContain('it ends as dispatched');
  });
});

describe('a run that its saga is told of by its first commit', () => {
  it('is dispatched without a load, and loaded where it has gone on', async () => {
    const world = await RunWorld.of({ before: [], node: node() }, 'its first commit');
    const loads: string[] = [];
    const counted = (ports: RunSagaPorts): RunSagaPorts =>
      new Proxy(ports, {
        get: (target, name) => {
          if (name === 'load') loads.push('load');
          const member: unknown = Reflect.get(target, name, target);
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      });
    await world.process(null, counted);
    expect({ loads, frames: world.frames.length }).toEqual({ loads: [], frames: 1 });
    await world.turn();
    await world.process(null, counted);
    expect({ loads, frames: world.frames.length }).toEqual({ loads: ['load'], frames: 1 });
  });
});

describe('the trace of a run', () => {
  it('is gone on in by whoever moves it on, wherever the one before died, and by its frame', async () => {
    const [, scenario] = SCENARIOS[0] ?? [];
    if (scenario === undefined) throw new Error('there is no scenario');
    const points = await pointsOf(scenario);
    expect(points.length).toBeGreaterThan(4);
    for (const point of points) {
      const traces = await (await live(scenario, point)).traces();
      expect(traces.length).toBeGreaterThan(3);
      expect(new Set(traces)).toEqual(new Set([TRACE]));
    }
  });
});
