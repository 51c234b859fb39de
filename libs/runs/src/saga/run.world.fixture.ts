import { randomUUID } from 'node:crypto';
import type { AskAnswer, AskRequest, Frame } from '#contracts';
import { AggregateStore, EPOCH_REF } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import { RuleViolation, type Instant } from '#kernel';
import type { KnownJournal, LeaseReader, NodeDirectory } from '#nodes/contract';
import { MortalProcess, type CrashPoint } from '#testing';
import { RUN_AGGREGATE } from '../command/index.js';
import type { ExistingRun, RunCommand, RunEvent } from '../domain/index.js';
import {
  RunSaga,
  RunSurroundings,
  StoredRunPorts,
  type NodeLines,
  type RunSagaPorts,
} from './index.js';

import {
  INCARNATION,
  JOURNAL,
  LEASE,
  NOBODY_WAITS,
  RUN_ID,
  submission,
  type NodeBehaviour,
  type Scenario,
} from './run.scenario.fixture.js';

export const WINDOWS = { dispatchMs: 10_000, receiptMs: 10_000, repeatMs: 5_000 };
const WORKSPACE = 'main';
const RUN_REF = { aggregate: 'run', workspace: WORKSPACE, id: RUN_ID };
const OUTPUT = { bytes: 0, sha256: 'e'.repeat(64), truncated: false };

/** The trace in which the run was submitted, and its node speaks. */
export const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

/** What wakes the saga each time. Its first commit comes again and again, however far the run has gone since. */
export type WokenBy = 'a request' | 'its first commit';

/** Everything around the saga: the stream, the frames, a node with its journal. It outlives every process. */
export class RunWorld {
  readonly events = new InMemoryEventStore(() => this.now);
  /** What left the house: at most one frame for each generation can be in the stream of frames. */
  readonly frames: Frame[] = [];
  /** Broken promises, in words. */
  readonly violations: string[] = [];
  /** How often the prompt was given to the runtime. */
  starts = 0;
  private now: Instant = 1_000_000;
  private readonly journal = new Map<number, 'closed' | 'running' | 'ended'>();
  private readonly lines: NodeLines = {
    publishFrame: (frame) => this.publishFrame(frame),
    ask: (_workspace, _node, request) => this.answer(request),
  };
  private readonly nodes: NodeDirectory = {
    find: async () => ({
      journalId: JOURNAL,
      incarnation: INCARNATION,
      journals: [{ journalId: JOURNAL, replacedBy: null }] satisfies KnownJournal[],
    }),
  };

  private constructor(
    private readonly behaviour: NodeBehaviour,
    private readonly wokenBy: WokenBy,
  ) {}

  static async of({ before, node }: Scenario, wokenBy: WokenBy = 'a request'): Promise<RunWorld> {
    const world = new RunWorld(node, wokenBy);
    await world.execute(submission(world.now));
    for (const what of before) await world.prepare(what);
    return world;
  }

  /**
   * One process of the saga, woken once.
   *
   * @param point where it dies; null = it does not.
   * @param sabotage stands between the saga and the world.
   * @returns how many calls it made through its ports.
   */
  async process(
    point: CrashPoint | null,
    sabotage: (ports: RunSagaPorts, world: RunWorld) => RunSagaPorts = (ports) => ports,
  ): Promise<number> {
    const process = new MortalProcess(point);
    const aggregates = new AggregateStore(this.events);
    const clock = { now: () => this.now };
    const stored = new StoredRunPorts(aggregates, this.nodes, this.lines, clock);
    const ports = process.through(sabotage(stored, this), [
      'load',
      'append',
      'publishFrame',
      'ask',
      'journalsOf',
    ]);
    const leases: LeaseReader = { judge: async () => this.verdict() };
    const surroundings = new RunSurroundings(
      this.events,
      NOBODY_WAITS,
      process.through(this.nodes, ['find']),
      process.through(leases, ['judge']),
      () => this.now,
    );
    const problems: unknown[] = [];
    const saga = new RunSaga(
      ports,
      surroundings,
      { advance: async () => undefined },
      WINDOWS,
      (problem) => {
        problems.push(problem);
      },
    );
    const advanced = this.wake(saga);
    await Promise.race([advanced, process.death]);
    if (!process.dead) await saga.stop();
    return process.calls;
  }

  private async wake(saga: RunSaga): Promise<void> {
    if (this.wokenBy === 'a request') return saga.advance(WORKSPACE, RUN_ID);
    const [first] = await this.events.read(RUN_REF, { consistency: 'leader' });
    if (first === undefined) throw new Error('the run is not there');
    return saga.onCommit(first);
  }

  /** The node takes its turn, then every deadline passes. */
  async turn(): Promise<void> {
    for (const frame of [...this.frames]) await this.take(frame);
    for (const [generation, phase] of this.journal)
      if (phase === 'running' && this.behaviour.afterStart === 'completes')
        await this.complete(generation);
    this.now += 60_000;
  }

  async state(): Promise<ExistingRun> {
    const aggregates = new AggregateStore(this.events);
    const { state } = await aggregates.load(RUN_AGGREGATE, WORKSPACE, RUN_ID, 'leader');
    if (state.status === 'none') throw new Error('the run is not there');
    return state;
  }

  /** The trace contexts in which its commits were made, and its frames sent. */
  async traces(): Promise<readonly (string | undefined)[]> {
    const commits = await this.events.read(RUN_REF, { consistency: 'leader' });
    const ofCommits = commits.map(({ metadata }) => metadata.traceparent);
    return [...ofCommits, ...this.frames.map(({ traceparent }) => traceparent)];
  }

  async history(): Promise<readonly RunEvent[]> {
    const commits = await this.events.read(RUN_REF, { consistency: 'leader' });
    return commits.flatMap((commit) => commit.events as readonly RunEvent[]);
  }

  /** Writes what no decider would allow: for sabotage. */
  async force(events: readonly RunEvent[]): Promise<void> {
    const commits = await this.events.read(RUN_REF, { consistency: 'leader' });
    await this.events.append({
      ref: RUN_REF,
      expected: commits.at(-1)?.revision ?? 0,
      commandId: randomUUID(),
      events,
      metadata: { command: 'Sabotage', actor: 'test' },
    });
  }

  private async publishFrame(frame: Frame): Promise<void> {
    const intended = (await this.history()).some(
      (event) => event.type === 'RunDispatched' && event.data.generation === frame.generation,
    );
    if (!intended) this.violations.push(`frame ${String(frame.generation)} left before its intent`);
    if (this.frames.some(({ generation }) => generation === frame.generation)) return; // Expects 0.
    this.frames.push(frame);
  }

  private async answer({ question, generation }: AskRequest): Promise<AskAnswer | null> {
    const { afterStart, forgottenStart } = this.behaviour;
    const base = { journalId: JOURNAL, incarnation: INCARNATION };
    if (question === 'close-older-epochs')
      return forgottenStart === undefined
        ? { ...base, answer: 'closed' }
        : { ...base, answer: 'started', ...forgottenStart, startedBy: INCARNATION };
    const phase = this.journal.get(generation);
    if (phase === 'running' && afterStart === 'dies') return null;
    if (phase === undefined) {
      this.journal.set(generation, 'closed'); // Before the answer leaves.
      return { ...base, answer: 'never-seen' };
    }
    if (question === 'stop' && phase === 'running') {
      await this.kill(generation);
      return { ...base, answer: 'stopping' };
    }
    return { ...base, answer: phase };
  }

  private async take({ generation, kind }: Frame): Promise<void> {
    if (generation < this.behaviour.takesFrom || this.journal.has(generation)) return;
    if (!(await this.claim(generation))) {
      this.journal.set(generation, 'closed');
      return;
    }
    this.journal.set(generation, 'running');
    if (kind === 'initial') this.starts += 1;
  }

  private async claim(generation: number): Promise<boolean> {
    try {
      await this.execute({ type: 'ClaimRun', ...this.self(generation) });
      return true;
    } catch (error) {
      if (error instanceof RuleViolation) return false;
      throw error;
    }
  }

  private async complete(generation: number): Promise<void> {
    this.journal.set(generation, 'ended');
    const end = { how: 'completed', exitCode: 0 } as const;
    await this.execute({
      type: 'ReportEnd',
      ...this.self(generation),
      end,
      output: OUTPUT,
      receipts: {},
    });
  }

  private async kill(generation: number): Promise<void> {
    this.journal.set(generation, 'ended');
    const end = { how: 'killed', by: 'stop', remains: [] } as const;
    await this.execute({
      type: 'ReportEnd',
      ...this.self(generation),
      end,
      output: OUTPUT,
      receipts: {},
    });
  }

  private self(generation: number) {
    const base = { runId: RUN_ID, generation, journalId: JOURNAL, incarnation: INCARNATION };
    return { ...base, now: this.now, epoch: 1 };
  }

  private async prepare(what: Scenario['before'][number]): Promise<void> {
    switch (what) {
      case 'claimed':
        await this.process(null);
        for (const frame of [...this.frames]) await this.take(frame);
        return;
      case 'stop':
        await this.execute({
          type: 'RequestRunStop',
          runId: RUN_ID,
          now: this.now,
          stopId: 'stop-1',
          reason: 'enough',
          principal: 'user:ada',
          epoch: 1,
        });
        return;
      case 'restore':
        await this.events.append({
          ref: EPOCH_REF,
          expected: 0,
          commandId: 'restore',
          events: [{ type: 'StreamEpochStarted', data: { epoch: 2, at: this.now } }],
          metadata: { command: 'StartEpoch', actor: 'test' },
        });
        return;
    }
  }

  private async execute(command: RunCommand): Promise<void> {
    await new AggregateStore(this.events).execute(
      RUN_AGGREGATE,
      { workspace: WORKSPACE, id: RUN_ID },
      command,
      {
        commandId: randomUUID(),
        metadata: { command: command.type, actor: 'test', traceparent: TRACE },
        consistency: 'leader',
      },
    );
  }

  private verdict(): Awaited<ReturnType<LeaseReader['judge']>> {
    if (this.behaviour.lease === 'expired') return { kind: 'expired', ageMs: 7_000 };
    return { kind: 'alive', lease: LEASE, ageMs: 100 };
  }
}
