import { randomUUID } from 'node:crypto';
import type { AskAnswer, AskRequest, Frame } from '#contracts';
import { AggregateStore } from '#event-store';
import type { RunId } from '#kernel';
import {
  FrameFeed,
  JetStreamEventFeed,
  JetStreamEventStore,
  JetStreamSubscriptionFeed,
  LeaseJudge,
  LeaseKeeper,
  askSubject,
  assertTopology,
  connectLink,
  ensureFirstEpoch,
  ensureFrameConsumer,
  serveAsks,
  type NatsLink,
} from '#nats';
import { NODE_AGGREGATE } from '#nodes/command';
import { Metrics, ReadinessBoard, createLogger, parseWindows, systemClock } from '#platform';
import { RUN_AGGREGATE, RunWriting, StoredRuns } from '#runs/command';
import type { ExistingRun, RunCommand, RunEvent } from '#runs/domain';
import { StoredSessions } from '#sessions/command';
import { natsServerUnderTest, waitUntil } from '#testing';
import { createSagasApp } from './sagas.app.js';

export const WINDOWS = parseWindows(
  JSON.stringify({
    leaseMs: 900,
    renewalMs: 150,
    askTimeoutMs: 150,
    askAttempts: 3,
    dispatchMs: 500,
    spawnRetryAfterMs: 3_000,
    repeatMs: 200,
    ackWaitMs: 1_000,
    workingMs: 300,
  }),
);
const NO_AGENTS = { capacity: 0, harnesses: [] };
const by = { actor: 'test' };
const metadata = { command: 'Test', actor: 'test' };

/** A node that does what the test says: takes frames, keeps its lease, answers. */
export class TestNode {
  readonly frames: Frame[] = [];
  readonly asked: AskRequest[] = [];
  /** What it answers; undefined = it does not. */
  answer: (ask: AskRequest) => AskAnswer | undefined = () => undefined;
  private stops: (() => Promise<unknown>)[] = [];

  constructor(
    readonly id: string,
    readonly journalId: string,
  ) {}

  readonly incarnation = 'incarnation-1';

  async start(link: NatsLink): Promise<void> {
    await ensureFrameConsumer(link, 'main', this.id, WINDOWS);
    const feed = await new FrameFeed(link, WINDOWS).subscribe({
      workspace: 'main',
      node: this.id,
      concurrency: 4,
      handle: async ({ body, done }) => {
        this.frames.push(body as Frame);
        await done();
      },
    });
    await serveAsks(
      link,
      askSubject('main', this.id),
      async (data) => {
        this.asked.push(data as AskRequest);
        const answer = this.answer(data as AskRequest);
        return answer ?? new Promise<never>(() => undefined);
      },
      { onUnexpected: () => undefined },
    );
    const lease = LeaseKeeper.forNode(link, { workspace: 'main', node: this.id }, WINDOWS, () => ({
      journalId: this.journalId,
      incarnation: this.incarnation,
      recovering: false,
      openCount: 0,
      openHash: '',
      running: 0,
      maxRuns: 4,
      waiting: 0,
    }));
    lease.start();
    this.stops = [() => feed.stop(), () => lease.stop()];
  }

  /** Its lease is renewed no more; it takes no frames. */
  async stop(): Promise<void> {
    await Promise.all(this.stops.splice(0).map((stop) => stop()));
  }

  framesOf(runId: RunId): readonly Frame[] {
    return this.frames.filter((frame) => frame.runId === runId);
  }
}

/** The sagas on a real broker, with a node and whatever a test does in the place of `commands`. */
export class SagasWorld {
  private constructor(
    readonly link: NatsLink,
    readonly aggregates: AggregateStore,
    readonly events: JetStreamEventStore,
    private readonly ends: readonly (() => Promise<unknown>)[],
  ) {}

  static async start(): Promise<SagasWorld> {
    const server = await natsServerUnderTest();
    const link = await connectLink({ url: server.url, name: 'sagas' });
    await assertTopology(link, { mode: 'create', replicas: 1 });
    const events = new JetStreamEventStore(link);
    const aggregates = new AggregateStore(events);
    await ensureFirstEpoch(events, 'test', systemClock.now());
    const judge = new LeaseJudge(link, 'sagas-test', WINDOWS);
    judge.start();
    const app = await createSagasApp({
      backbone: { link, events, aggregates: new AggregateStore(events) },
      judge,
      feed: new JetStreamSubscriptionFeed(link, WINDOWS),
      stream: new JetStreamEventFeed(link),
      config: { service: 'sagas', windows: WINDOWS },
      logger: createLogger({ service: 'sagas', instance: 'test', logLevel: 'silent' }),
      metrics: new Metrics('sagas'),
      readiness: new ReadinessBoard(),
    });
    await app.start();
    return new SagasWorld(link, aggregates, events, [
      () => app.stop(),
      () => judge.stop(),
      () => link.close(),
      () => server.stop(),
    ]);
  }

  async stop(): Promise<void> {
    for (const end of this.ends) await end();
  }

  /** @param hosts what it can host of spawned agents; nothing when left out. */
  async join(
    node: TestNode,
    hosts: { readonly capacity: number; readonly harnesses: readonly string[] } = NO_AGENTS,
  ): Promise<void> {
    const { id, journalId, incarnation } = node;
    await this.aggregates.execute(
      NODE_AGGREGATE,
      { workspace: 'main', id },
      {
        type: 'JoinNode',
        nodeId: id,
        now: systemClock.now(),
        journalId,
        incarnation,
        leaseHolder: null,
        description: { name: id, capabilities: [], maxRuns: 4, agents: ['echo'], ...hosts },
      },
      { commandId: randomUUID(), metadata },
    );
  }

  /** As its handler does, up to and without the second commit of a named session. */
  async submit(node: string, session?: string): Promise<string> {
    const runId = randomUUID();
    await this.run(runId, {
      type: 'SubmitRun',
      runId,
      now: systemClock.now(),
      sessionId: session ?? runId,
      opensSession: session === undefined,
      agent: 'echo',
      node,
      runClass: {
        runtime: 'cli',
        attempts: 'single',
        deduplicatesByKey: false,
        readBackByKey: false,
        interruptible: true,
        outlivesClient: false,
      },
      prompt: 'Hello',
      principal: 'user:ada',
      fingerprint: 'v1:x',
      epoch: 1,
    });
    return runId;
  }

  async run(runId: RunId, command: RunCommand): Promise<void> {
    await this.aggregates.execute(RUN_AGGREGATE, { workspace: 'main', id: runId }, command, {
      commandId: randomUUID(),
      metadata,
    });
  }

  async claim(node: TestNode, frame: Frame): Promise<void> {
    const { runId, generation } = frame;
    const { journalId, incarnation } = node;
    const now = systemClock.now();
    const epoch = frame.epoch;
    await this.run(runId, {
      type: 'ClaimRun',
      runId,
      generation,
      journalId,
      incarnation,
      now,
      epoch,
    });
  }

  async complete(node: TestNode, frame: Frame): Promise<void> {
    const { runId, generation, epoch } = frame;
    const { journalId, incarnation } = node;
    await this.run(runId, {
      type: 'ReportEnd',
      runId,
      generation,
      journalId,
      incarnation,
      epoch,
      now: systemClock.now(),
      end: { how: 'completed', exitCode: 0 },
      output: { bytes: 0, sha256: 'e'.repeat(64), truncated: false },
      receipts: {},
    });
  }

  async stateOf(runId: RunId): Promise<ExistingRun> {
    const { state } = await this.aggregates.load(RUN_AGGREGATE, 'main', runId, 'leader');
    if (state.status === 'none') throw new Error(`no run ${runId}`);
    return state;
  }

  async untilStatus(runId: RunId, status: ExistingRun['status']): Promise<ExistingRun> {
    return waitUntil(`run ${runId} to be ${status}`, async () => {
      const state = await this.stateOf(runId);
      return state.status === status && state;
    });
  }

  async eventsOf(runId: RunId): Promise<readonly RunEvent['type'][]> {
    const ref = { aggregate: 'run', workspace: 'main', id: runId };
    const commits = await this.events.read(ref, { consistency: 'leader' });
    return commits.flatMap((commit) => commit.events.map(({ type }) => type as RunEvent['type']));
  }

  get places(): StoredSessions {
    const runs = new StoredRuns(new RunWriting(this.aggregates, this.events, systemClock));
    return new StoredSessions(this.aggregates, runs, systemClock);
  }

  /** The second commit of a submission that named a session. */
  async enqueue(session: string, runId: RunId): Promise<void> {
    await this.places.enqueue('main', session, runId, by);
  }
}
