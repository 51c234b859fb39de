import { AggregateStore, type Commit } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import type { Frame } from '#contracts';
import type { Instant, Provenance } from '#kernel';
import { NODE_AGGREGATE, StoredSlots } from '#nodes/command';
import type { NodeLife } from '#nodes/contract';
import { SPAWN_AGGREGATE } from '../command/spawn.aggregate.js';
import type { SpawnCommand } from '../domain/index.js';
import { claim, claimGeneric, spawnId } from '../domain/spawn.fixture.js';
import {
  GenericSpawnPlacer,
  SpawnMover,
  StoredSpawns,
  type LoadedSpawn,
  type NodeHint,
  type SpawnPorts,
} from './index.js';
import { CALM } from './spawn.context.fixture.js';

const WORKSPACE = 'main';
const BY: Provenance = { actor: 'test' };
const metadata = { command: 'Test', actor: 'test' };
const ALIVE: NodeLife = { liveness: 'alive', notReady: [], lastHeardAt: 1_900 };

/** Whoever moves spawns on, over an event store in memory, with nodes that are as the test says. */
export class GenericSpawnWorld {
  readonly store = new InMemoryEventStore();
  readonly aggregates = new AggregateStore(this.store);
  now: Instant = 2_000;
  /** How the catalog has it. */
  hints: readonly NodeHint[] = [];
  listed = 0;
  readonly lives = new Map<string, NodeLife['liveness']>();
  readonly judged: string[] = [];
  readonly frames = new Map<string, Frame>();
  asked = 0;

  /** @returns another process that does the same. */
  mover(): SpawnMover {
    const ports = this.ports();
    const catalog = {
      list: () => {
        this.listed += 1;
        return this.hints;
      },
    };
    return new SpawnMover(ports, CALM.windows, new GenericSpawnPlacer(catalog, ports));
  }

  /** A member, which the catalog has too. */
  async join(nodeId: string, { name = nodeId, capacity = 1 } = {}): Promise<void> {
    const description = {
      name,
      capabilities: ['linux'],
      capacity,
      maxRuns: 1,
      agents: [],
      harnesses: ['claude'],
    };
    await this.aggregates.execute(
      NODE_AGGREGATE,
      { workspace: WORKSPACE, id: nodeId },
      {
        type: 'JoinNode',
        nodeId,
        now: this.now,
        description,
        journalId: `journal-of-${nodeId}`,
        incarnation: 'incarnation-1',
        leaseHolder: null,
      },
      { commandId: `join/${nodeId}`, metadata },
    );
    const { capabilities, harnesses } = description;
    const hint = { nodeId, harnesses, capabilities, drained: false, free: capacity };
    this.hints = [...this.hints, hint];
  }

  /** Somebody else's agent takes a place, which the catalog has not heard of. */
  async take(nodeId: string): Promise<void> {
    const snapshot = { nodeName: nodeId, agentName: 'other', harness: 'claude' };
    const order = { spawnId: 'spawn-2', round: 1, token: 't', snapshot, until: 9_000 };
    await this.slots.reserve(WORKSPACE, nodeId, order, BY);
  }

  async claim(kind: 'strict' | 'generic'): Promise<void> {
    await this.say(kind === 'strict' ? claim : claimGeneric);
  }

  async say(command: SpawnCommand): Promise<void> {
    const options = { commandId: `${command.type}/${String(this.now)}`, metadata };
    const key = { workspace: WORKSPACE, id: spawnId };
    await this.aggregates.execute(SPAWN_AGGREGATE, key, command, options);
  }

  /** Moves the spawn as far as it goes now. */
  async move(mover = this.mover()): Promise<LoadedSpawn> {
    const left = await mover.move(WORKSPACE, spawnId, { by: () => BY, callerAsks: false });
    if (left === null) throw new Error('there is no spawn');
    return left.spawn;
  }

  /** The events of the spawn, in words: with the node where one is named. */
  async told(): Promise<readonly string[]> {
    const commits = await this.commits();
    return commits.flatMap(({ events }) =>
      events.map(({ type, data }) => {
        const { nodeId } = data as { readonly nodeId?: string | null };
        return nodeId ? `${type} ${nodeId}` : type;
      }),
    );
  }

  /** Which places are held on a node, by how many. */
  async held(nodeId: string): Promise<number> {
    const { state } = await this.aggregates.load(NODE_AGGREGATE, WORKSPACE, nodeId, 'leader');
    return Object.keys(state.slots.held).length;
  }

  private commits(): Promise<readonly Commit[]> {
    const ref = { aggregate: 'spawn', workspace: WORKSPACE, id: spawnId };
    return this.store.read(ref, { consistency: 'leader' });
  }

  private get slots(): StoredSlots {
    return new StoredSlots(this.aggregates, { now: () => this.now });
  }

  private ports(): SpawnPorts {
    return {
      spawns: new StoredSpawns(this.aggregates),
      slots: this.slots,
      agents: { standing: async () => Promise.resolve('none') },
      liveness: {
        judge: async (_workspace, nodeId) => {
          this.judged.push(nodeId);
          return Promise.resolve({ ...ALIVE, liveness: this.lives.get(nodeId) ?? 'alive' });
        },
      },
      lines: {
        publishFrame: async (frame) => {
          this.frames.set(`${frame.node}/${String(frame.generation)}`, frame);
          return Promise.resolve();
        },
        ask: async () => {
          this.asked += 1;
          return Promise.resolve(null);
        },
      },
      epochs: { epoch: async () => Promise.resolve(1) },
      clock: { now: () => this.now },
      newToken: () => 'c3'.repeat(16),
    };
  }
}
