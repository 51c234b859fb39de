import { randomUUID } from 'node:crypto';
import { StoredSpawnedAgents } from '#agents/command';
import { AggregateStore, type EventStore } from '#event-store';
import type { Clock } from '#kernel';
import {
  FramePublisher,
  JetStreamEventStore,
  assertTopology,
  connectLink,
  ensureFirstEpoch,
  publishFrame,
  type NatsLink,
} from '#nats';
import { NODE_AGGREGATE, StoredSlots } from '#nodes/command';
import type { NodeLife } from '#nodes/contract';
import type { NodeCommand } from '#nodes/domain';
import {
  ClaimSpawnCommand,
  ClaimSpawnHandler,
  ReportSpawnCommand,
  ReportSpawnHandler,
  SPAWN_AGGREGATE,
  SpawnWriting,
  StrictSpawnDoor,
} from '#spawns/command';
import { STRICT_SPAWN_CONTRACT } from '#spawns/contract';
import type { ExistingSpawn } from '#spawns/domain';
import {
  SpawnMover,
  StoredSpawns,
  newPlacementToken,
  type SpawnPorts,
  type SpawnWindows,
} from '#spawns/saga';
import { natsServerUnderTest } from '#testing';

export const WINDOWS = {
  reservationMs: 5_000,
  retryAfterMs: 30_000,
  neverDispatchedMs: 10_000,
  repeatMs: 1_000,
};
const HARNESS = 'sample';
const JOURNAL = 'journal-1';
const INCARNATION = 'incarnation-1';
const by = { actor: 'test' };
const metadata = { command: 'Test', actor: 'test' };

/** How one of those who move spawns on differs from the others. */
export interface MoverOptions {
  /** Its way to the store; default: the plain one. */
  readonly events?: EventStore;
  /** How far its clock is from that of the others, ms. */
  readonly skewMs?: number;
  readonly life?: Partial<NodeLife>;
  /** Stands between it and the world. */
  readonly ports?: (ports: SpawnPorts) => SpawnPorts;
  readonly windows?: Partial<SpawnWindows>;
}

/** What was recorded of a spawn after its claim, of its places, and how many frames left. */
export interface Outcome {
  readonly spawn: readonly string[];
  readonly places: readonly string[];
  readonly frames: number;
}

/** Strict spawns on a real broker, each with a node of its own; whoever moves them on is held up where a test says so. */
export class SpawnRaces {
  now = Date.now();

  private constructor(
    readonly events: JetStreamEventStore,
    private readonly link: NatsLink,
    private readonly end: () => Promise<unknown>,
  ) {}

  static async start(): Promise<SpawnRaces> {
    const server = await natsServerUnderTest();
    const link = await connectLink({ url: server.url, name: 'races' });
    await assertTopology(link, { mode: 'create', replicas: 1 });
    const events = new JetStreamEventStore(link);
    await ensureFirstEpoch(events, 'test', Date.now());
    return new SpawnRaces(events, link, () => server.stop());
  }

  async stop(): Promise<void> {
    await this.link.close();
    await this.end();
  }

  /** A claim as its handler stores it. Its node has the spawn's id. */
  async claimed(): Promise<string> {
    const spawnId = randomUUID();
    await this.ofNode(spawnId, {
      type: 'JoinNode',
      nodeId: spawnId,
      now: this.now,
      journalId: JOURNAL,
      incarnation: INCARNATION,
      leaseHolder: null,
      description: {
        name: 'builder',
        capabilities: [],
        capacity: 2,
        maxRuns: 1,
        agents: [],
        harnesses: [HARNESS],
      },
    });
    await new AggregateStore(this.events).execute(
      SPAWN_AGGREGATE,
      { workspace: 'main', id: spawnId },
      {
        type: 'ClaimSpawn',
        spawnId,
        now: this.now,
        kind: 'strict',
        contract: STRICT_SPAWN_CONTRACT,
        principal: 'agent:lead',
        key: spawnId,
        fingerprint: 'v1:x',
        nodeId: spawnId,
        nodeName: 'builder',
        capabilities: [],
        agentName: 'worker',
        harness: HARNESS,
        task: 'Say hello.',
        directory: null,
        verifyReady: false,
        epoch: 1,
        place: { token: newPlacementToken(), until: this.now + WINDOWS.reservationMs },
      },
      { commandId: randomUUID(), metadata },
    );
    return spawnId;
  }

  /** A claim that has its place; nothing has left. */
  async reserved(): Promise<string> {
    const spawnId = await this.claimed();
    await this.reserve(spawnId);
    return spawnId;
  }

  /** Somebody takes the place of the round that a spawn is in, and gets no further. */
  async reserve(spawnId: string, { skewMs = 0 }: Pick<MoverOptions, 'skewMs'> = {}): Promise<void> {
    const { placement } = await this.state(spawnId);
    if (placement === null) throw new Error('a strict claim without a placement');
    const { round, token, until } = placement;
    const snapshot = { nodeName: 'builder', agentName: 'worker', harness: HARNESS };
    const order = { spawnId, round, token, snapshot, until };
    await this.slots(this.events, this.clock(skewMs)).reserve('main', spawnId, order, by);
  }

  /** Its node may start it. */
  async claimedByNode(): Promise<string> {
    const spawnId = await this.claimed();
    await this.move(spawnId);
    const claims = new ClaimSpawnHandler(this.writing(this.events));
    const request = { ...ofNode(spawnId), generation: 1 };
    await claims.execute(new ClaimSpawnCommand('main', spawnId, request, {}));
    return spawnId;
  }

  /** Its node says that its agent lives. */
  async reportStarted(spawnId: string, events: EventStore = this.events): Promise<void> {
    const agents = new StoredSpawnedAgents(new AggregateStore(this.events), this.clock(0));
    const reports = new ReportSpawnHandler(this.writing(events), agents);
    await reports.execute(
      new ReportSpawnCommand(
        'main',
        spawnId,
        {
          ...ofNode(spawnId),
          generation: 1,
          journalSequence: 1,
          kind: 'started',
          evidence: 'its process 1 is alive',
          workerCwd: null,
        },
        {},
      ),
    );
  }

  async leave(spawnId: string): Promise<void> {
    const reason = 'a test says so';
    const command = { nodeId: spawnId, journalId: JOURNAL, reason, now: this.now };
    await this.ofNode(spawnId, { type: 'LeaveNode', ...command });
  }

  /** Moves a spawn on as far as it goes now, in a process that remembers nothing. */
  async move(spawnId: string, options: MoverOptions = {}): Promise<void> {
    const { events = this.events, skewMs = 0, life = {}, windows = {} } = options;
    const clock = this.clock(skewMs);
    const aggregates = new AggregateStore(events);
    const frames = new FramePublisher(this.link);
    const ports: SpawnPorts = {
      spawns: new StoredSpawns(aggregates),
      slots: this.slots(events, clock),
      agents: new StoredSpawnedAgents(aggregates, clock),
      liveness: this.liveness(life),
      lines: {
        publishFrame: (frame) => publishFrame(frames, frame),
        ask: () => Promise.resolve(null),
      },
      epochs: this.events,
      clock,
      newToken: newPlacementToken,
    };
    const mover = new SpawnMover(options.ports?.(ports) ?? ports, { ...WINDOWS, ...windows });
    await mover.move('main', spawnId, { by: () => by, callerAsks: false });
  }

  door(): StrictSpawnDoor {
    return new StrictSpawnDoor(this.slots(this.events), this.liveness({}));
  }

  async state(spawnId: string): Promise<ExistingSpawn> {
    const { state } = await this.writing(this.events).load('main', spawnId);
    if (state.status === 'none') throw new Error(`no spawn ${spawnId}`);
    return state;
  }

  async outcome(spawnId: string): Promise<Outcome> {
    const [spawn, node] = await Promise.all(
      ['spawn', 'node'].map(async (aggregate) => {
        const ref = { aggregate, workspace: 'main', id: spawnId };
        const options = { consistency: 'leader', ignoreSnapshots: true } as const;
        const commits = await this.events.read(ref, options);
        return commits.flatMap(({ events }) => events.map(({ type }) => type));
      }),
    );
    return {
      spawn: (spawn ?? []).slice(2), // After SpawnClaimed and SpawnPlacementIntended.
      places: (node ?? []).filter((type) => type.startsWith('Slot')),
      frames: await this.framesOf(spawnId),
    };
  }

  private async framesOf(spawnId: string): Promise<number> {
    const filter = { subjects_filter: `hf.frame.*.*.*.${spawnId}.*` };
    const { data } = await this.link.connection.request(
      '$JS.API.STREAM.INFO.HF_FRAMES',
      new TextEncoder().encode(JSON.stringify(filter)),
    );
    const { state } = JSON.parse(new TextDecoder().decode(data)) as {
      readonly state: { readonly subjects?: Readonly<Record<string, number>> };
    };
    return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  }

  private async ofNode(id: string, command: NodeCommand): Promise<void> {
    const options = { commandId: randomUUID(), metadata };
    const store = new AggregateStore(this.events);
    await store.execute(NODE_AGGREGATE, { workspace: 'main', id }, command, options);
  }

  private clock(skewMs: number): Clock {
    return { now: () => this.now + skewMs };
  }

  private slots(events: EventStore, clock = this.clock(0)): StoredSlots {
    return new StoredSlots(new AggregateStore(events), clock);
  }

  private writing(events: EventStore): SpawnWriting {
    return new SpawnWriting(new AggregateStore(events), this.events, this.clock(0));
  }

  private liveness(life: Partial<NodeLife>) {
    const alive: NodeLife = { liveness: 'alive', notReady: [], lastHeardAt: this.now };
    return { judge: () => Promise.resolve({ ...alive, ...life }) };
  }
}

export const NOT_READY: Partial<NodeLife> = { notReady: [HARNESS] };
export const SILENT: Partial<NodeLife> = { liveness: 'silent' };

const ofNode = (spawnId: string) => ({
  spawnId,
  journalId: JOURNAL,
  incarnation: INCARNATION,
});
