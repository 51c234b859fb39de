import { RuleViolation, fold } from '#kernel';
import { initialNode, slotOf, slotsUsed } from '#nodes/domain';
import { isTerminal, isUnknown, type SpawnCommand } from '#spawns/domain';
import { STEP, type Goal, type Model, type Sink, type StepKind } from '../engine/index.js';
import { WorldPacking } from './spawn.packing.js';
import { spawnGoals } from './spawn.goals.js';
import { SPAWN_INVARIANTS } from './spawn.invariants.js';
import type { SpawnSetup } from './spawn.rules.js';
import {
  FINE,
  LOOKS,
  MOMENTS,
  NODE_ID,
  NOW,
  SPAWN,
  claimOf,
  commandOf,
  contextOf,
  existing,
  initialWorld,
  otherCommand,
  reportOf,
  roundOf,
  slotCommandOf,
  type Pending,
  type World,
} from './spawn.world.js';

/** Rounds of the other spawn: enough to take the slot at any moment, and to give it back. */
const OTHER_MAX = 4;
type Bit = keyof typeof SPAWN_INVARIANTS;
const BITS = Object.keys(SPAWN_INVARIANTS) as readonly Bit[];
const bit = (name: Bit): number => 1 << BITS.indexOf(name);

/** One strict spawn, two who move it on, its node, and another spawn that wants the same slot. */
export class SpawnModel implements Model {
  readonly width = WorldPacking.width;
  readonly invariants = BITS;
  readonly #packing = new WorldPacking();
  readonly #statuses = new Set<string>();
  #from: World;
  #sink: Sink = { to: new Int32Array(0), step: () => undefined };

  constructor(private readonly setup: SpawnSetup) {
    this.#from = initialWorld(setup, initialNode(NODE_ID));
  }

  /** Every status, with its code, that the spawn had. */
  get statuses(): readonly string[] {
    return [...this.#statuses].sort();
  }

  get goals(): readonly Goal[] {
    return spawnGoals(this.setup.bounds.rounds, (state) => this.#at(state));
  }

  init(into: Int32Array): void {
    this.#packing.pack(initialWorld(this.setup, initialNode(NODE_ID)), into);
  }

  broken(state: Int32Array): number {
    const world = this.#at(state);
    const { node, spawn, work, starts } = world;
    const it = existing(spawn);
    this.#statuses.add(it.failure === null ? it.status : it.failure.code);
    const slot = slotOf(node.slots, SPAWN);
    const isOut = it.status === 'dispatched' || it.status === 'claimed';
    const noAgentLives =
      (it.status === 'failed' && !isUnknown(it)) ||
      (it.status === 'completed' && world.agent === 'ended');
    const code = it.failure?.code;
    const wasExcluded = code !== undefined && code !== 'spawn_outcome_unknown';
    return (
      (slotsUsed(node.slots) > this.setup.bounds.capacity ? bit('J1') : 0) |
      (noAgentLives && slot !== null && !this.#isDue(world) ? bit('J2') : 0) |
      ((isOut && slot?.round !== roundOf(spawn)) || (work === 'running' && slot === null)
        ? bit('J3')
        : 0) |
      ((it.dispatch?.generation ?? 0) > 1 ? bit('J4') : 0) |
      (starts > 1 ? bit('J5') : 0) |
      (wasExcluded && starts > 0 ? bit('J7') : 0)
    );
  }

  next(state: Int32Array, sink: Sink): void {
    this.#from = this.#at(state);
    this.#sink = sink;
    for (const worker of [0, 1] as const) {
      const pending = this.#from.workers[worker];
      if (pending === null) this.#look(worker);
      else this.#perform(worker, pending);
    }
    this.#node();
    this.#others();
  }

  #at(state: Int32Array): World {
    return this.#packing.unpack(state);
  }

  /** With everything as it is, and read anew, the slot would be given back. */
  #isDue(world: World): boolean {
    if (world.workers.some((pending) => pending !== null)) return true;
    const next = this.setup.rules.nextStrictSpawn(world.spawn, contextOf(world, NOW, FINE));
    return next.kind === 'take' && slotCommandOf(next.step) !== null;
  }

  #go(kind: StepKind, label: string, changes: Partial<World>): void {
    let to = { ...this.#from, ...changes };
    if (to.spawn !== this.#from.spawn) to = { ...to, workers: this.#overtaken(to.workers) };
    const [before, after] = [existing(this.#from.spawn), existing(to.spawn)];
    const changed =
      isTerminal(before) &&
      (before.status !== after.status || before.failure?.code !== after.failure?.code);
    this.#packing.pack(to, this.#sink.to);
    this.#sink.step(kind, label, '', changed ? bit('J6') : 0);
  }

  /** A handler inside of its request, a saga or a sweep reads everything, and decides. */
  #look(worker: 0 | 1): void {
    for (const now of MOMENTS)
      for (const look of LOOKS) {
        const context = contextOf(this.#from, now, look);
        const next = this.setup.rules.nextStrictSpawn(this.#from.spawn, context);
        if (next.kind !== 'take') continue;
        const { step } = next;
        if (step.kind === 'intendPlacement' && step.round > this.setup.bounds.rounds) continue;
        // That a node looks unready, or silent, is no step that anybody may wait for.
        const kind = look === FINE ? STEP.fair : STEP.fault;
        const pending = this.#pendingOf(step, commandOf(step, context));
        this.#go(kind, `${String(worker)}: will ${step.kind}`, {
          workers: this.#with(worker, pending),
        });
      }
  }

  #perform(worker: 0 | 1, pending: Pending): void {
    const { step, loaded, command } = pending;
    const idle = { workers: this.#with(worker, null) };
    const said = `${String(worker)}: ${step.kind}`;
    this.#go(STEP.fault, `${said}, dies before it`, idle);
    const onNode = slotCommandOf(step);
    if (onNode !== null) return this.#onNode(said, onNode, idle);
    if (step.kind === 'publishFrame') return this.#go(STEP.fair, said, { ...idle, frame: true });
    if (step.kind === 'sendStop')
      return this.#go(
        STEP.fair,
        said,
        this.#from.work === 'running' ? { ...idle, work: 'ended' } : idle,
      );
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
    return command.type === 'ClaimSpawnFrame' ? { work: 'closed' } : {};
  }

  #onNode(said: string, command: ReturnType<typeof otherCommand>, changes: Partial<World>): void {
    const { decideNode, evolveNode } = this.setup.rules;
    try {
      const events = decideNode(command, this.#from.node);
      const node = fold(evolveNode, this.#from.node, events);
      // How many commits there were decides nothing but when a snapshot is due.
      this.#go(STEP.fair, said, { ...changes, node: { ...node, commits: 0 } });
    } catch (error) {
      if (!(error instanceof RuleViolation)) throw error;
      const other = command.spawnId === SPAWN ? {} : { other: this.#from.other };
      this.#go(STEP.fair, `${said}: refused, ${error.code}`, { ...changes, ...other });
    }
  }

  /** The node-agent, and the program that it starts. */
  #node(): void {
    const { work, frame, incarnation, crashesLeft, lostLeft } = this.#from;
    const { claimsFirst, closesAfterRestart } = this.setup.shell;
    if (work === '-' && frame) this.#go(STEP.fair, 'node: journals the frame', { work: 'asks' });
    if (work === 'asks' && !claimsFirst) this.#start('node: starts without a claim');
    if (work === 'asks') {
      const claim = claimOf(this.#from);
      const granted = this.#onSpawn(STEP.fair, 'claim', claim, { work: 'granted' });
      if (granted && lostLeft > 0)
        this.#onSpawn(STEP.fault, 'claim, its answer lost', claim, { lostLeft: lostLeft - 1 });
    }
    if (work === 'granted') {
      this.#start('node: starts the agent');
      this.#go(STEP.fair, 'node: could not start it', { work: 'closed' });
    }
    if (work === 'running') this.#go(STEP.choice, 'the agent ends', { work: 'ended' });
    const forgets =
      work === 'asks' || work === 'granted' || (work === 'running' && !closesAfterRestart);
    if (crashesLeft > 0 && forgets)
      this.#go(STEP.fault, 'the node-agent dies, and starts anew', {
        crashesLeft: crashesLeft - 1,
        incarnation: incarnation + 1,
        work: closesAfterRestart ? 'closed' : 'asks',
      });
    const report = reportOf(this.#from);
    if (report !== null) this.#onSpawn(STEP.fair, 'report', report, {});
    this.#agent();
  }

  #start(said: string): void {
    this.#go(STEP.fair, said, { work: 'running', starts: Math.min(2, this.#from.starts + 1) });
  }

  /** The agent's own stream follows what the node reports, once the spawn has it. */
  #agent(): void {
    const { work, agent, spawn } = this.#from;
    if (spawn.status !== 'completed') return;
    if (work === 'running' && agent === 'none')
      this.#go(STEP.fair, 'AgentRegistered', { agent: 'alive' });
    if (work === 'ended' && agent !== 'ended')
      this.#go(STEP.fair, 'AgentEnded', { agent: 'ended' });
  }

  #others(): void {
    const { other, spawn } = this.#from;
    if (other < OTHER_MAX) {
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

  #pendingOf(step: Pending['step'], command: Pending['command']): Pending {
    const isCompared = this.setup.shell.compareAndSet || command === null;
    return { step, command, loaded: isCompared ? null : this.#from.spawn };
  }

  /** What was decided on the spawn as it was is refused once it has moved on: who decided it looks again. */
  #overtaken(workers: World['workers']): World['workers'] {
    if (!this.setup.shell.compareAndSet) return workers;
    const [first, second] = workers;
    const left = (pending: Pending | null): Pending | null =>
      (pending?.command ?? null) === null ? pending : null;
    return [left(first), left(second)];
  }

  #with(worker: 0 | 1, pending: Pending | null): World['workers'] {
    const [first, second] = this.#from.workers;
    return worker === 0 ? [pending, second] : [first, pending];
  }
}
