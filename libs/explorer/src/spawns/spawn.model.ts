import { RuleViolation, fold, type NodeId, type Step } from '#kernel';
import type { SlotCommand } from '#nodes/domain';
import { isTerminal, isUnknown, type SpawnCommand } from '#spawns/domain';
import type { SpawnContext, SpawnStep } from '#spawns/saga';
import { STEP, type Goal, type Model, type Sink, type StepKind } from '../engine/index.js';
import { WorldPacking } from './spawn.packing.js';
import { spawnGoals } from './spawn.goals.js';
import { SPAWN_BITS, bitOf, brokenIn } from './spawn.judgement.js';
import { agentAfter, crashed, overtaken, sent, stoppedIn, working } from './spawn.lives.js';
import type { SpawnSetup } from './spawn.rules.js';
import {
  FINE,
  LOOKS,
  MOMENTS,
  NOW,
  SPAWN,
  contextOf,
  existing,
  hasRoom,
  holderOf,
  initialWorld,
  placeOf,
  type Pending,
  type Work,
  type World,
} from './spawn.world.js';
import {
  claimOf,
  commandOf,
  otherCommand,
  reportOf,
  slotCommandOf,
  type Holder,
} from './spawn.words.js';

/** As many generations as a world has room for: a generic spawn that was sent twice is sent no more. */
const GENERATIONS_MAX = 2;

/** One spawn, two who move it on, its nodes, and another spawn that wants the same slot. */
export class SpawnModel implements Model {
  readonly width = WorldPacking.width;
  readonly invariants = SPAWN_BITS;
  readonly #packing = new WorldPacking();
  readonly #statuses = new Set<string>();
  #from: World;
  #sink: Sink = { to: new Int32Array(0), step: () => undefined };

  constructor(private readonly setup: SpawnSetup) {
    this.#from = initialWorld(setup);
  }

  /** Every status, with its code, that the spawn had. */
  get statuses(): readonly string[] {
    return [...this.#statuses].sort();
  }

  get goals(): readonly Goal[] {
    const { rounds } = this.setup.bounds;
    return spawnGoals(rounds, GENERATIONS_MAX, (state) => this.#at(state));
  }

  init(into: Int32Array): void {
    this.#packing.pack(initialWorld(this.setup), into);
  }

  broken(state: Int32Array): number {
    const world = this.#at(state);
    const it = existing(world.spawn);
    this.#statuses.add(it.failure === null ? it.status : it.failure.code);
    return brokenIn(world, this.setup.bounds, () => this.#isDue(world));
  }

  next(state: Int32Array, sink: Sink): void {
    this.#from = this.#at(state);
    this.#sink = sink;
    const { workers } = this.#from;
    for (const worker of [0, 1] as const) {
      const pending = workers[worker];
      // Who is first does not matter: what both would do leads to the same worlds.
      if (worker === 1 && pending === workers[0]) break;
      if (pending === null) this.#look(worker);
      else this.#perform(worker, pending);
    }
    for (const generation of [1, 2]) this.#node(generation);
    this.#agent();
    this.#others();
  }

  #at(state: Int32Array): World {
    return this.#packing.unpack(state);
  }

  /** With everything as it is, and read anew, the slot would be given back. */
  #isDue(world: World): boolean {
    if (world.workers.some((pending) => pending !== null)) return true;
    const next = this.#nextOf(world, contextOf(world, NOW, FINE), null);
    return next.kind === 'take' && slotCommandOf(next.step, '') !== null;
  }

  #nextOf({ spawn }: World, context: SpawnContext, place: NodeId | null): Step<SpawnStep> {
    const { rules, bounds } = this.setup;
    return bounds.kind === 'strict'
      ? rules.nextStrictSpawn(spawn, context)
      : rules.nextGenericSpawn(spawn, context, place);
  }

  #go(kind: StepKind, label: string, changes: Partial<World>): void {
    let to = { ...this.#from, ...changes };
    if (to.spawn !== this.#from.spawn && this.setup.shell.compareAndSet) to = overtaken(to);
    const [before, after] = [existing(this.#from.spawn), existing(to.spawn)];
    const changed =
      isTerminal(before) &&
      (before.status !== after.status || before.failure?.code !== after.failure?.code);
    this.#packing.pack(to, this.#sink.to);
    this.#sink.step(kind, label, '', changed ? bitOf('J6') : 0);
  }

  /** A handler inside of its request, a saga or a sweep reads everything, and decides. */
  #look(worker: 0 | 1): void {
    const place = placeOf(this.#from)?.nodeId ?? null;
    for (const now of MOMENTS)
      for (const look of LOOKS)
        for (const found of this.#places()) {
          const context = contextOf(this.#from, now, look);
          const next = this.#nextOf(this.#from, context, found);
          if (next.kind !== 'take' || this.#isTooMuch(next.step)) continue;
          const { step } = next;
          // That a node looks unready, or silent, is no step that anybody may wait for.
          const kind = look === FINE ? STEP.fair : STEP.fault;
          const pending = this.#pendingOf(step, commandOf(step, context), place);
          const to = step.kind === 'intendPlacement' ? ` on ${step.nodeId ?? place ?? ''}` : '';
          this.#go(kind, `${String(worker)}: will ${step.kind}${to}`, {
            workers: this.#with(worker, pending),
          });
        }
  }

  /** Nodes that a generic spawn may go to, whichever of them its sagas would take. */
  #places(): readonly (NodeId | null)[] {
    if (this.setup.bounds.kind === 'strict') return [null];
    const found = this.#from.nodes.filter(hasRoom).map(({ nodeId }) => nodeId);
    return found.length === 0 ? [null] : found;
  }

  #isTooMuch(step: SpawnStep): boolean {
    if (step.kind === 'dispatch')
      return existing(this.#from.spawn).dispatch?.generation === GENERATIONS_MAX;
    return step.kind === 'intendPlacement' && step.round > this.setup.bounds.rounds;
  }

  #perform(worker: 0 | 1, pending: Pending): void {
    const { step, loaded, command, nodeId } = pending;
    const idle = { workers: this.#with(worker, null) };
    const said = `${String(worker)}: ${step.kind}`;
    this.#go(STEP.fault, `${said}, dies before it`, idle);
    const onNode = slotCommandOf(step, nodeId ?? '');
    if (onNode !== null) return this.#onNode(said, onNode, idle);
    if (step.kind === 'publishFrame')
      return this.#go(STEP.fair, said, { ...idle, ...sent(this.#from, step.generation) });
    if (step.kind === 'sendStop') {
      const stopped = stoppedIn(this.#from, step.generation);
      return this.#go(STEP.fair, said, { ...idle, ...stopped });
    }
    if (command === null) return this.#go(STEP.fair, said, idle);
    if (step.kind === 'ask') this.#go(STEP.fair, `${said}, answered`, idle);
    this.#onSpawn(STEP.fair, said, command, idle, loaded ?? this.#from.spawn);
  }

  #onSpawn(
    kind: StepKind,
    said: string,
    command: SpawnCommand,
    changes: Partial<World>,
    loaded = this.#from.spawn,
  ): boolean {
    const { decideSpawn, evolveSpawn } = this.setup.rules;
    try {
      const events = decideSpawn(command, loaded);
      const spawn = fold(evolveSpawn, this.#from.spawn, events);
      this.#go(kind, `${said}: ${events.map(({ type }) => type).join(' + ') || 'no news'}`, {
        ...changes,
        spawn,
      });
      return true;
    } catch (error) {
      if (!(error instanceof RuleViolation)) throw error;
      this.#go(kind, `${said}: refused, ${error.code}`, { ...changes, ...this.#refused(command) });
      return false;
    }
  }

  /** A refused claim closes the entry, for good. */
  #refused(command: SpawnCommand): Partial<World> {
    return command.type === 'ClaimSpawnFrame'
      ? working(this.#from, command.generation, 'closed')
      : {};
  }

  #onNode(said: string, command: SlotCommand, changes: Partial<World>): void {
    const { decideNode, evolveNode } = this.setup.rules;
    const { nodes } = this.#from;
    const node = nodes.find(({ nodeId }) => nodeId === command.nodeId);
    if (node === undefined) throw new Error(`bug: no node ${command.nodeId} to say it to`);
    try {
      const events = decideNode(command, node);
      // How many commits there were decides nothing but when a snapshot is due.
      const after = { ...fold(evolveNode, node, events), commits: 0 };
      const all = nodes.map((one) => (one === node ? after : one));
      this.#go(STEP.fair, said, { ...changes, nodes: all });
    } catch (error) {
      if (!(error instanceof RuleViolation)) throw error;
      const other = command.spawnId === SPAWN ? {} : { other: this.#from.other };
      this.#go(STEP.fair, `${said}: refused, ${error.code}`, { ...changes, ...other });
    }
  }

  /** The node-agent that a generation was sent to, and the program that it starts. */
  #node(generation: number): void {
    const index = holderOf(this.#from, generation);
    if (index === null) return;
    const work = this.#from.works[generation - 1] ?? '-';
    const { lostLeft, frames, nodes, incarnations } = this.#from;
    const nodeId = nodes[index]?.nodeId ?? '';
    const holder: Holder = { generation, nodeId, incarnation: incarnations[generation - 1] ?? 1 };
    const becomes = (to: Work): Partial<World> => working(this.#from, generation, to);
    const who = `${nodeId}/${String(generation)}`;
    const { claimsFirst } = this.setup.shell;
    if (work === '-' && frames[generation - 1] === true)
      this.#go(STEP.fair, `${who}: journals the frame`, becomes('asks'));
    if (work === 'asks' && !claimsFirst) this.#start(generation, `${who}: starts without a claim`);
    if (work === 'asks') {
      const claim = claimOf(holder);
      const granted = this.#onSpawn(STEP.fair, `${who}: claim`, claim, becomes('granted'));
      if (granted && lostLeft > 0)
        this.#onSpawn(STEP.fault, `${who}: claim, its answer lost`, claim, {
          lostLeft: lostLeft - 1,
        });
    }
    if (work === 'granted') {
      this.#start(generation, `${who}: starts the agent`);
      this.#go(STEP.fair, `${who}: could not start it`, becomes('closed'));
    }
    if (work === 'running') this.#go(STEP.choice, `${who}: the agent ends`, becomes('ended'));
    this.#crash(index);
    const report = reportOf(holder, work);
    if (report !== null) this.#onSpawn(STEP.fair, `${who}: report`, report, {});
  }

  #crash(index: number): void {
    const after = crashed(this.#from, index, this.setup.shell.closesAfterRestart);
    if (after !== null) this.#go(STEP.fault, 'the node-agent dies, and starts anew', after);
  }

  #start(generation: number, said: string): void {
    const starts = Math.min(2, this.#from.starts + 1);
    this.#go(STEP.fair, said, { ...working(this.#from, generation, 'running'), starts });
  }

  #agent(): void {
    const agent = agentAfter(this.#from);
    if (agent !== null) this.#go(STEP.fair, `its agent is ${agent}`, { agent });
  }

  #others(): void {
    const { other, spawn } = this.#from;
    if (other < this.setup.bounds.others) {
      const kind = other % 2 === 0 ? 'takes a slot' : 'gives its slot back';
      this.#onNode(`the other spawn ${kind}`, otherCommand(other), { other: other + 1 });
    }
    const it = existing(spawn);
    if (!isUnknown(it) || it.resolution !== null) return;
    for (const as of ['stop', 'adopt'] as const) {
      const command = {
        type: 'ResolveSpawn',
        spawnId: SPAWN,
        now: NOW,
        as,
        note: '',
        actor: 'p',
      } as const;
      this.#onSpawn(STEP.choice, `an operator: ${as}`, command, {});
    }
  }

  #pendingOf(step: SpawnStep, command: SpawnCommand | null, nodeId: NodeId | null): Pending {
    const isCompared = this.setup.shell.compareAndSet || command === null;
    return { step, command, nodeId, loaded: isCompared ? null : this.#from.spawn };
  }

  #with(worker: 0 | 1, pending: Pending | null): World['workers'] {
    const [first, second] = this.#from.workers;
    return worker === 0 ? [pending, second] : [first, pending];
  }
}
