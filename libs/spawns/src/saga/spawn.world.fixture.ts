import { StoredSpawnedAgents } from '#agents/command';
import type { Caller } from '#access/contract';
import type { Frame, StrictSpawnAnswer } from '#contracts';
import { SpawnReplayRequest, StrictInvokeRequest } from '#contracts/requests';
import { AggregateStore, type EventStore } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import { NotNow } from '#hosting';
import { RuleViolation, type Instant } from '#kernel';
import { NODE_AGGREGATE, StoredSlots } from '#nodes/command';
import { slotsUsed, type NodeCommand, type NodeState } from '#nodes/domain';
import { WorkspaceKeys, idOf } from '#platform';
import { MortalProcess, type CrashPoint } from '#testing';
import {
  ClaimSpawnHandler,
  ReplaySpawnCommand,
  ReplaySpawnHandler,
  ReportSpawnHandler,
  SPAWN_AGGREGATE,
  SpawnWriting,
  StrictInvokeCommand,
  StrictInvokeHandler,
  StrictSpawnDoor,
  StrictSpawnRunner,
} from '../command/index.js';
import { STRICT_SPAWN_CONTRACT } from '../contract/index.js';
import type { SpawnEvent, SpawnState } from '../domain/index.js';
import { SimulatedNode } from './spawn.node.fixture.js';
import { SpawnMover, StoredSpawns, type SpawnPorts } from './index.js';

export const WINDOWS = {
  reservationMs: 30_000,
  retryAfterMs: 30_000,
  neverDispatchedMs: 600_000,
  repeatMs: 5_000,
};
export const CALLER = { principal: 'agent:lead', role: 'agent', workspace: 'main' } as const;
const KEYS = new WorkspaceKeys(new Uint8Array(32).fill(7));
const HARNESS = 'sample';
const CAPACITY = 2;

export const requestOf = (
  key: string,
  otherwise: Partial<StrictInvokeRequest> = {},
): StrictInvokeRequest =>
  Object.assign(new StrictInvokeRequest(), {
    spawn_contract: STRICT_SPAWN_CONTRACT,
    node_id: 'named',
    node_name: 'builder',
    agent_name: `agent-${key}`,
    harness: HARNESS,
    task: `work on ${key}`,
    ...otherwise,
  });
const replayOf = (repeated: Partial<StrictInvokeRequest>): SpawnReplayRequest =>
  Object.assign(new SpawnReplayRequest(), { spawn_contract: STRICT_SPAWN_CONTRACT, ...repeated });

export interface Sabotage {
  /** Stands between whoever moves a spawn on and the world. */
  readonly ports?: (ports: SpawnPorts, world: SpawnWorld) => SpawnPorts;
  /** The node's journal forgets what it had when it dies. */
  readonly nodeForgets?: boolean;
}

/** Who calls, and what of the call is otherwise. */
export interface Otherwise {
  readonly caller?: Caller;
  readonly request?: Partial<StrictInvokeRequest>;
}

/** Everything around those who move spawns on: the stream, the frames, two nodes that are alike. It outlives every process. */
export class SpawnWorld {
  now: Instant = 1_000_000;
  readonly events = new InMemoryEventStore(() => this.now);
  /** What left the house: a second one at the same address is the same one. */
  readonly frames = new Map<string, Frame>();
  readonly named: SimulatedNode;
  /** The same in all but its id: nothing is ever meant for it. */
  readonly twin: SimulatedNode;

  private constructor(private readonly sabotage: Sabotage) {
    const door = this.door();
    this.named = new SimulatedNode('named', 'journal-named', door, sabotage.nodeForgets === true);
    this.twin = new SimulatedNode('twin', 'journal-twin', door);
  }

  static async start(sabotage: Sabotage = {}): Promise<SpawnWorld> {
    const world = new SpawnWorld(sabotage);
    for (const { id, journalId, incarnation } of [world.named, world.twin])
      await world.ofNode(id, {
        type: 'JoinNode',
        nodeId: id,
        now: world.now,
        journalId,
        incarnation,
        leaseHolder: null,
        description: {
          name: 'builder',
          capabilities: [],
          capacity: CAPACITY,
          maxRuns: 1,
          agents: [],
          harnesses: [HARNESS],
        },
      });
    return world;
  }

  /** One call in a process of its own. @returns its answer, the code that refused it, or null when the process died. */
  async call(
    key: string,
    route: 'invoke' | 'replay',
    point: CrashPoint | null = null,
    { caller = CALLER, request = {} }: Otherwise = {},
  ): Promise<StrictSpawnAnswer | string | null> {
    const process = new MortalProcess(point);
    const { mover, spawns, slots } = this.partsOf(process);
    const door = new StrictSpawnDoor(slots, this.liveness);
    const patience = { nowMs: steps(300), pause: () => Promise.resolve() };
    const runner = new StrictSpawnRunner(spawns, door, mover, patience);
    const strict = { door, runner, reservationMs: WINDOWS.reservationMs };
    const answered =
      route === 'invoke'
        ? new StrictInvokeHandler(spawns, strict, KEYS).execute(
            new StrictInvokeCommand(caller, key, requestOf(key, request), {}),
          )
        : new ReplaySpawnHandler(spawns, strict).execute(
            new ReplaySpawnCommand(caller, key, replayOf(request), {}),
          );
    return Promise.race([answered.catch(codeOf), process.death.then(() => null)]);
  }

  /** A saga, or a sweep, looks at the spawn in a process of its own. */
  async advance(key: string, point: CrashPoint | null = null): Promise<void> {
    const process = new MortalProcess(point);
    const { mover } = this.partsOf(process);
    const moved = mover.move('main', idOfKey(key), {
      by: () => ({ actor: 'service:sagas' }),
      callerAsks: false,
    });
    await Promise.race([moved, process.death]);
  }

  async ofNode(id: string, command: NodeCommand): Promise<void> {
    const store = new AggregateStore(this.events);
    const ref = { workspace: 'main', id };
    const metadata = { command: command.type, actor: 'test' };
    await store.execute(NODE_AGGREGATE, ref, command, {
      commandId: `test/${String((this.commands += 1))}`,
      metadata,
      consistency: 'leader',
    });
  }

  /** Hands on what was published. */
  deliver(): void {
    for (const frame of this.frames.values())
      (frame.node === this.named.id ? this.named : this.twin).take(frame);
  }

  async stateOf(key: string): Promise<SpawnState> {
    const store = new AggregateStore(this.events);
    return (await store.load(SPAWN_AGGREGATE, 'main', idOfKey(key), 'leader')).state;
  }

  async eventsOf(key: string): Promise<readonly SpawnEvent[]> {
    const ref = { aggregate: 'spawn', workspace: 'main', id: idOfKey(key) };
    const commits = await this.events.read(ref, { consistency: 'leader' });
    return commits.flatMap(({ events }) => events as readonly SpawnEvent[]);
  }

  async nodeState(id: string): Promise<NodeState> {
    return (await new AggregateStore(this.events).load(NODE_AGGREGATE, 'main', id, 'leader')).state;
  }

  async slotsOf(id: string): Promise<number> {
    return slotsUsed((await this.nodeState(id)).slots);
  }

  private commands = 0;

  private readonly liveness = {
    judge: (_workspace: string, node: string) => {
      const { up, notReady } = node === this.named.id ? this.named : this.twin;
      return Promise.resolve({
        liveness: up ? ('alive' as const) : ('silent' as const),
        notReady,
        lastHeardAt: this.now,
      });
    },
  };

  private partsOf(process: MortalProcess) {
    const clock = { now: () => this.now };
    const events: EventStore = process.through(this.events, ['append', 'read']);
    const aggregates = new AggregateStore(events);
    const slots = new StoredSlots(aggregates, clock);
    const lines = process.through(this.lines, ['publishFrame', 'ask']);
    const ports: SpawnPorts = {
      spawns: new StoredSpawns(aggregates),
      slots,
      agents: new StoredSpawnedAgents(aggregates, clock),
      liveness: this.liveness,
      lines,
      epochs: EPOCHS,
      clock,
      newToken: () => 'a1'.repeat(16),
    };
    const mover = new SpawnMover(this.sabotage.ports?.(ports, this) ?? ports, WINDOWS);
    return { mover, slots, spawns: new SpawnWriting(aggregates, EPOCHS, clock) };
  }

  private readonly lines = {
    publishFrame: (frame: Frame): Promise<void> => {
      const { node, runId, generation } = frame;
      const address = `${node}/${runId}/${String(generation)}`;
      if (!this.frames.has(address)) this.frames.set(address, frame);
      return Promise.resolve();
    },
    ask: (_workspace: string, node: string, request: Parameters<SimulatedNode['answer']>[0]) =>
      Promise.resolve((node === this.named.id ? this.named : this.twin).answer(request)),
  };

  /** What nodes speak to. */
  door() {
    const aggregates = new AggregateStore(this.events);
    const clock = { now: () => this.now };
    const writing = new SpawnWriting(aggregates, EPOCHS, clock);
    return {
      claims: new ClaimSpawnHandler(writing),
      reports: new ReportSpawnHandler(writing, new StoredSpawnedAgents(aggregates, clock)),
    };
  }
}

const EPOCHS = { epoch: () => Promise.resolve(1) };

export const idOfKey = (key: string, { workspace, principal }: Caller = CALLER): string =>
  idOf(workspace, principal, 'spawn', key);

/** A clock that moves on by so much whenever somebody looks. */
const steps = (ms: number): (() => number) => {
  let now = 0;
  return () => (now += ms);
};

const codeOf = (problem: unknown): string => {
  if (problem instanceof RuleViolation || problem instanceof NotNow) return problem.code;
  throw problem;
};
