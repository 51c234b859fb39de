import { StoredSpawnedAgents } from '#agents/command';
import type { Caller } from '#access/contract';
import type { Frame, StrictSpawnAnswer } from '#contracts';
import type { StrictInvokeRequest } from '#contracts/requests';
import { AggregateStore, type Commit, type EventStore } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import type { Instant } from '#kernel';
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
import type { SpawnEvent, SpawnState } from '../domain/index.js';
import { SimulatedNode } from './spawn.node.fixture.js';
import { SteppedPatience } from './stepped-patience.fixture.js';
import { HARNESS, codeOf, replayOf, requestOf } from './strict-requests.fixture.js';
import { SpawnMover, StoredSpawns, type SpawnPorts } from './index.js';

export const WINDOWS = {
  reservationMs: 30_000,
  retryAfterMs: 30_000,
  neverDispatchedMs: 600_000,
  repeatMs: 5_000,
};
export const CALLER = { principal: 'agent:lead', role: 'agent', workspace: 'main' } as const;
/** What whoever moves spawns on would mint. */
export const NEW_TOKEN = 'a1'.repeat(16);
const KEYS = new WorkspaceKeys(new Uint8Array(32).fill(7));
/** How many places each node has. */
export const CAPACITY = 2;

export interface Sabotage {
  /** Stands between whoever moves a spawn on and the world. */
  readonly ports?: (ports: SpawnPorts, world: SpawnWorld) => SpawnPorts;
  /** The node's journal forgets what it had when it dies. */
  readonly nodeForgets?: boolean;
  /** Nobody dies, wherever they are to. */
  readonly immortal?: boolean;
}

/** Who calls, and what of the call is otherwise. */
export interface Otherwise {
  readonly caller?: Caller;
  readonly request?: Partial<StrictInvokeRequest>;
}

/** What a process is made of. */
interface Parts {
  readonly mover: SpawnMover;
  readonly slots: StoredSlots;
  readonly spawns: SpawnWriting;
}

/** One process, as a test sees it. */
export interface LivingProcess {
  call(key: string, route: 'invoke' | 'replay'): Promise<StrictSpawnAnswer | string | null>;
  advance(key: string): Promise<void>;
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
  /** How long a look takes by the clock of whoever waits, ms; so long that a waiting call soon gives up. */
  lookMs = 300;
  /** Of each call that came to an end, how long it was at it by that clock, ms. */
  readonly waitedMs: number[] = [];
  /** What others do while a call pauses. */
  meanwhile: () => Promise<void> = () => Promise.resolve();
  private readonly processes: MortalProcess[] = [];

  private constructor(private readonly sabotage: Sabotage) {
    const door = this.door();
    this.named = new SimulatedNode('named', 'journal-named', door, sabotage.nodeForgets === true);
    this.twin = new SimulatedNode('twin', 'journal-twin', door);
  }

  static async start(sabotage: Sabotage = {}): Promise<SpawnWorld> {
    const world = new SpawnWorld(sabotage);
    await world.join(CALLER.workspace);
    return world;
  }

  /** Both nodes are members of a workspace. */
  async join(workspace: string): Promise<void> {
    for (const { id, journalId, incarnation } of [this.named, this.twin])
      await this.ofNode(
        id,
        {
          type: 'JoinNode',
          nodeId: id,
          now: this.now,
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
        },
        workspace,
      );
  }

  /** How many processes died: a point beyond its last call kills none. */
  get deaths(): number {
    return this.processes.filter(({ dead }) => dead).length;
  }

  /** One call in a process of its own. @returns its answer, the code that refused it, or null when the process died. */
  async call(
    key: string,
    route: 'invoke' | 'replay',
    point: CrashPoint | null = null,
    otherwise: Otherwise = {},
  ): Promise<StrictSpawnAnswer | string | null> {
    const process = this.process(point);
    const answered = this.callIn(this.partsOf(process), key, route, otherwise);
    return Promise.race([answered, process.death.then(() => null)]);
  }

  /** A saga, or a sweep, looks at the spawn in a process of its own. */
  async advance(key: string, point: CrashPoint | null = null): Promise<void> {
    const process = this.process(point);
    await Promise.race([this.advanceIn(this.partsOf(process), key), process.death]);
  }

  /** A process that lives, and remembers what it did from one call and sweep to the next. */
  living(): LivingProcess {
    const parts = this.partsOf(this.process(null));
    return {
      call: (key, route) => this.callIn(parts, key, route, {}),
      advance: (key) => this.advanceIn(parts, key),
    };
  }

  private process(point: CrashPoint | null): MortalProcess {
    const process = new MortalProcess(this.sabotage.immortal === true ? null : point);
    this.processes.push(process);
    return process;
  }

  private async callIn(
    { mover, spawns, slots }: Parts,
    key: string,
    route: 'invoke' | 'replay',
    { caller = CALLER, request = {} }: Otherwise,
  ): Promise<StrictSpawnAnswer | string> {
    const door = new StrictSpawnDoor(slots, this.liveness);
    const patience = new SteppedPatience(this.lookMs, () => this.meanwhile());
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
    try {
      return await answered.catch(codeOf);
    } finally {
      this.waitedMs.push(patience.waitedMs);
    }
  }

  private async advanceIn({ mover }: Parts, key: string): Promise<void> {
    await mover.move('main', idOfKey(key), {
      by: () => ({ actor: 'service:sagas' }),
      callerAsks: false,
    });
  }

  async ofNode(id: string, command: NodeCommand, workspace = 'main'): Promise<void> {
    const store = new AggregateStore(this.events);
    const ref = { workspace, id };
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
    const commits = await this.commitsOf(key);
    return commits.flatMap(({ events }) => events as readonly SpawnEvent[]);
  }

  /** Of the claim of one caller under a key, all that was ever committed. */
  async commitsOf(key: string, caller: Caller = CALLER): Promise<readonly Commit[]> {
    const ref = { aggregate: 'spawn', workspace: caller.workspace, id: idOfKey(key, caller) };
    return this.events.read(ref, { consistency: 'leader', ignoreSnapshots: true });
  }

  async nodeState(id: string, workspace = 'main'): Promise<NodeState> {
    const store = new AggregateStore(this.events);
    return (await store.load(NODE_AGGREGATE, workspace, id, 'leader')).state;
  }

  async slotsOf(id: string, workspace = 'main'): Promise<number> {
    return slotsUsed((await this.nodeState(id, workspace)).slots);
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

  private partsOf(process: MortalProcess): Parts {
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
      newToken: () => NEW_TOKEN,
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
