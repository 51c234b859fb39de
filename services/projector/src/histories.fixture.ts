import { AGENT, type AgentCommand, type AgentState } from '#agents/domain';
import { NODE, type NodeCommand, type NodeState } from '#nodes/domain';
import { RUN, type RunState } from '#runs/domain';
import {
  someRunEvents,
  submission,
} from '../../../libs/runs/src/projection/run-histories.fixture.js';
import {
  someAgentEvents,
  someClaim,
  someSlotCommand,
  someSpawnEvents,
  standingOf,
} from '../../../libs/spawns/src/projection/spawn-histories.fixture.js';
import { SESSION, type SessionState } from '#sessions/domain';
import { SPAWN, type SpawnState } from '#spawns/domain';
import { AppendFailed, type EventStore } from '#event-store';
import { RuleViolation, type Decider, type DomainEvent } from '#kernel';
import { oneOf, seededRandom } from '#testing';

const WORKSPACE = 'main';
const ATTEMPTS_MAX = 10;

type AnyDecider = Decider<never, never, DomainEvent>;
type Kind = 'run' | 'session' | 'node' | 'agent' | 'spawn';
const DECIDERS = {
  run: RUN,
  session: SESSION,
  node: NODE,
  agent: AGENT,
  spawn: SPAWN,
} as unknown as Readonly<Record<Kind, AnyDecider>>;

interface Aggregate {
  readonly state: unknown;
  readonly revision: number;
}

/** Random histories of many aggregates at once, written by the project's own deciders into one stream. */
export class Histories {
  private readonly random: () => number;
  private readonly aggregates = new Map<string, Aggregate>();
  private readonly runIds: string[] = [];
  private readonly spawnIds: string[] = [];
  private now = 1_000;
  commits = 0;

  constructor(
    private readonly store: Pick<EventStore, 'append'>,
    seed: number,
    /** Keeps the runs of one apart from those of another. */
    private readonly prefix = '',
  ) {
    this.random = seededRandom(seed);
  }

  /** The folded states, by `<aggregate>/<id>`. */
  states(kind: Kind): ReadonlyMap<string, unknown> {
    return new Map(
      [...this.aggregates]
        .filter(([key]) => key.startsWith(`${kind}/`))
        .map(([key, { state }]) => [key.slice(kind.length + 1), state]),
    );
  }

  /** One thing happens, somewhere. */
  async step(): Promise<void> {
    this.now += 1;
    const roll = this.random();
    if (this.runIds.length === 0 || roll < 0.1) await this.submit();
    else if (roll < 0.15) await this.advanceSession();
    else if (roll < 0.18) await this.joinNode();
    else if (roll < 0.21) await this.registerAgent();
    else if (roll < 0.23) await this.claimSpawn();
    else if (roll < 0.45) await this.moveSpawn();
    else await this.moveRun();
  }

  private async submit(): Promise<void> {
    const runId = `${this.prefix}r${this.runIds.length}`;
    const named = this.random() < 0.5 && this.runIds.length > 0;
    const sessionId = named ? oneOf(this.random, this.runIds.slice(0, 5)) : runId;
    await this.decide('run', runId, {
      ...submission(runId, sessionId, this.random),
      now: this.now,
    });
    this.runIds.push(runId);
    if (!named) return;
    const session = this.at('session', sessionId).state as SessionState;
    await this.decide('session', sessionId, {
      type: 'QueueRun',
      sessionId,
      now: this.now,
      runId,
      active: session.active,
      activeOver: this.random() < 0.5,
    });
  }

  private async moveRun(): Promise<void> {
    const runId = oneOf(this.random, this.runIds);
    const run = this.at('run', runId).state as RunState;
    await this.append('run', runId, someRunEvents(this.random, run, this.now, 1));
  }

  private async claimSpawn(): Promise<void> {
    const spawnId = `${this.prefix}s${this.spawnIds.length}`;
    await this.decide('spawn', spawnId, someClaim(spawnId, this.nodeIds, this.random, this.now));
    this.spawnIds.push(spawnId);
  }

  /** Something happens to a spawn, to its slot, or to its agent: three streams, and one row. */
  private async moveSpawn(): Promise<void> {
    const { random, now } = this;
    if (this.spawnIds.length === 0) return;
    const spawnId = oneOf(random, this.spawnIds.slice(-8)); // Those before have settled, or wait for ever.
    const spawn = this.at('spawn', spawnId).state as SpawnState;
    if (spawn.status === 'none') return;
    const nodeId = spawn.placement?.nodeId ?? '';
    const roll = random();
    if (roll < 0.4) {
      const slot = someSlotCommand(random, spawn, now);
      if (slot !== null) await this.decide('node', nodeId, slot);
    } else if (roll < 0.5) {
      const agent = this.at('agent', spawnId).state as AgentState;
      await this.append('agent', spawnId, someAgentEvents(random, spawn, agent, now));
    } else {
      const standing = standingOf(this.at('node', nodeId).state as NodeState, spawnId);
      const events = someSpawnEvents(random, spawn, standing, this.nodeIds, now);
      await this.append('spawn', spawnId, events);
    }
  }

  private get nodeIds(): readonly string[] {
    return [1, 2, 3].map((n) => `${this.prefix}n${n}`);
  }

  private async advanceSession(): Promise<void> {
    const sessionId = oneOf(this.random, this.runIds.slice(0, 5));
    const { active } = this.at('session', sessionId).state as SessionState;
    const command = { type: 'AdvanceSession', sessionId, now: this.now, released: active };
    await this.decide('session', sessionId, command);
  }

  private async joinNode(): Promise<void> {
    const nodeId = oneOf(this.random, this.nodeIds);
    const journalId = oneOf(this.random, ['j1', 'j2']);
    const join: NodeCommand = {
      type: 'JoinNode',
      nodeId,
      now: this.now,
      description: {
        name: `node ${nodeId}`,
        capabilities: oneOf(this.random, [[], ['gpu']]),
        capacity: 3,
        maxRuns: oneOf(this.random, [4, 16]),
        agents: ['echo'],
        harnesses: oneOf(this.random, [['cli'], ['cli', 'claude']]),
      },
      journalId,
      incarnation: `i${this.now % 4}`,
      leaseHolder: null,
    };
    const leave: NodeCommand = { type: 'LeaveNode', nodeId, now: this.now, journalId, reason: 'r' };
    const actor = 'user:ada';
    const serve: NodeCommand = {
      type: oneOf(this.random, ['DrainNode', 'ReturnNode']),
      ...{ nodeId, now: this.now, reason: 'repair', actor },
    };
    await this.decide('node', nodeId, oneOf(this.random, [join, join, join, leave, serve]));
  }

  private async registerAgent(): Promise<void> {
    const name = oneOf(this.random, [`${this.prefix}echo`, `${this.prefix}ticker`]);
    const node = oneOf(this.random, ['n1', 'n2']);
    const register: AgentCommand = {
      type: 'RegisterAgent',
      now: this.now,
      binding: {
        name,
        node,
        runtime: 'cli',
        attempts: 'single',
        deduplicatesByKey: false,
        readBackByKey: false,
        interruptible: true,
        outlivesClient: false,
        promptBy: oneOf(this.random, ['argument', 'stdin']),
      },
    };
    const end: AgentCommand = { type: 'EndAgent', now: this.now, name, node, reason: 'r' };
    await this.decide('agent', name, this.random() < 0.7 ? register : end);
  }

  private at(kind: Kind, id: string): Aggregate {
    const state = DECIDERS[kind].initialState(id);
    return this.aggregates.get(`${kind}/${id}`) ?? { state, revision: 0 };
  }

  private async decide(kind: Kind, id: string, command: object): Promise<void> {
    const { state } = this.at(kind, id);
    let events: readonly DomainEvent[];
    try {
      events = DECIDERS[kind].decide(command as never, state as never);
    } catch (error) {
      if (error instanceof RuleViolation) return;
      throw error;
    }
    await this.append(kind, id, events);
  }

  private async append(kind: Kind, id: string, events: readonly DomainEvent[]): Promise<void> {
    if (events.length === 0) return;
    const before = this.at(kind, id);
    const { revision } = await this.untilAppended({
      ref: { aggregate: kind, workspace: WORKSPACE, id },
      expected: before.revision,
      commandId: `${kind}-${id}-${before.revision}`,
      events,
      metadata: { command: 'Any', actor: 'test' },
    });
    this.commits += 1;
    const state = events.reduce<unknown>(
      (folded, event) => DECIDERS[kind].evolve(folded as never, event),
      before.state,
    );
    this.aggregates.set(`${kind}/${id}`, { state, revision });
  }

  /** A broker may be away for longer than the store tries: the same commit again is the same commit. */
  private async untilAppended(
    request: Parameters<EventStore['append']>[0],
  ): ReturnType<EventStore['append']> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.store.append(request);
      } catch (error) {
        if (!(error instanceof AppendFailed) || attempt >= ATTEMPTS_MAX) throw error;
      }
    }
  }
}
