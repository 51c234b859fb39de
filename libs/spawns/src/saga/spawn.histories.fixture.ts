import type { CrashPoint } from '#testing';
import { isTerminal, isUnknown, isUnsent } from '../domain/index.js';
import { placeViolationsIn } from './spawn.places.fixture.js';
import { CAPACITY, SpawnWorld, idOfKey, type Sabotage } from './spawn.world.fixture.js';

/** A source of choices that a seed repeats. */
export type Dice = (sides: number) => number;

/** Mulberry32: small, and good enough to choose with. */
export const diceOf = (seed: number): Dice => {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
};

const KEYS = ['one', 'two', 'three'];
/** More calls than a process makes: where the point lies beyond the last one, it does not die. */
const CALLS_MAX = 18;
const ACTIONS = 14;
/** Looks at everything until nothing can be under way, and once more when the agents have ended. */
const ROUNDS = { settle: 7, end: 3 };

/** What came of one history. */
export interface Lived {
  /** In words, what went wrong: nothing, as long as the rules hold. */
  readonly violations: readonly string[];
  /** How many processes really died. */
  readonly deaths: number;
}

export const live = async (seed: number, sabotage: Sabotage = {}): Promise<Lived> => {
  const world = await SpawnWorld.start(sabotage);
  const history = new History(world, diceOf(seed));
  for (let action = 0; action < ACTIONS; action += 1) await history.act();
  await history.settle();
  return { violations: history.violations, deaths: world.deaths };
};

/** A life of three spawns of one node, of which whoever moves them on dies again and again. */
class History {
  readonly violations: string[] = [];

  constructor(
    private readonly world: SpawnWorld,
    private readonly dice: Dice,
  ) {}

  /** One thing happens, or two at once. */
  async act(): Promise<void> {
    const count = 1 + this.dice(2);
    await Promise.all(Array.from({ length: count }, () => this.actOnce()));
  }

  /** Everybody lives and does what is left to do; then no place may be held, and nothing be open. */
  async settle(): Promise<void> {
    const { world } = this;
    this.nodeIsWell();
    await this.serve('ReturnNode');
    for (let round = 0; round < ROUNDS.settle; round += 1) await this.lookAtAll(10_000);
    await this.checkSettled();
    world.named.endAgents();
    for (let round = 0; round < ROUNDS.end; round += 1) await this.lookAtAll(700_000);
    await this.check();
    await this.checkOver();
    const held = await world.slotsOf(world.named.id);
    if (held !== 0) this.violations.push(`${String(held)} places are held, and nobody is there`);
  }

  private async lookAtAll(ms: number): Promise<void> {
    const { world } = this;
    world.now += ms;
    for (const key of KEYS) await world.advance(key);
    world.deliver();
    await world.named.step(false);
    await world.twin.step(false);
  }

  private async actOnce(): Promise<void> {
    const { world, dice } = this;
    const key = KEYS[dice(KEYS.length)] ?? 'one';
    switch (dice(12)) {
      case 0:
      case 1:
      case 2:
        this.answered(key, await world.call(key, 'invoke', this.point()));
        return;
      case 3:
        this.answered(key, await world.call(key, 'replay', this.point()));
        return;
      case 4:
      case 5:
        return world.advance(key, this.point());
      case 6: {
        await Promise.all([world.advance(key, this.point()), world.advance(key, this.point())]);
        return;
      }
      case 7:
      case 8:
        if (dice(4) > 0) world.deliver();
        return world.named.step(dice(6) === 0);
      case 9:
        world.named.die();
        return;
      case 10:
        world.now += dice(40_000);
        return;
      case 11:
        return this.trouble();
    }
  }

  private async trouble(): Promise<void> {
    const { named } = this.world;
    switch (this.dice(5)) {
      case 0:
        named.up = !named.up;
        return;
      case 1:
        named.notReady = named.notReady.length > 0 ? [] : ['sample'];
        return;
      case 2:
        return this.serve('DrainNode');
      case 3:
        return this.serve('ReturnNode');
      case 4:
        named.endAgents();
    }
  }

  private nodeIsWell(): void {
    const { named } = this.world;
    named.up = true;
    named.notReady = [];
  }

  private async serve(type: 'DrainNode' | 'ReturnNode'): Promise<void> {
    const { world } = this;
    const nodeId = world.named.id;
    await world.ofNode(nodeId, { type, nodeId, now: world.now, reason: 'test', actor: 'test' });
  }

  private point(): CrashPoint {
    return { call: 1 + this.dice(CALLS_MAX), side: this.dice(2) === 0 ? 'before' : 'after' };
  }

  private answered(key: string, answer: Awaited<ReturnType<SpawnWorld['call']>>): void {
    if (answer === null || typeof answer === 'string') return;
    if (answer.value.invocation_id !== idOfKey(key)) this.violations.push(`${key}: another id`);
    if (answer.value.handler_node_id !== 'named') this.violations.push(`${key}: another node`);
  }

  /** What must hold, whatever happened: none of it can be taken back from the streams, so that they are looked at once. */
  private async check(): Promise<void> {
    const { world, violations } = this;
    for (const key of KEYS) {
      const id = idOfKey(key);
      const frames = [...world.frames.values()].filter(({ runId }) => runId === id);
      if (frames.length > 1) violations.push(`${key}: ${String(frames.length)} frames`);
      const starts = world.named.starts.get(id) ?? 0;
      if (starts > 1) violations.push(`${key}: ${String(starts)} agents`);
      if (frames.some(({ node }) => node !== 'named')) violations.push(`${key}: another node`);
      const events = await world.eventsOf(key);
      const dispatched = events.filter(({ type }) => type === 'SpawnDispatched').length;
      if (dispatched > 1) violations.push(`${key}: dispatched ${String(dispatched)} times`);
    }
    if (world.twin.starts.size > 0) violations.push('the twin was given something');
    violations.push(...placeViolationsIn(world.events.after(0, Infinity), world.named.id));
  }

  /** In the end nobody waits any more: what did not leave has expired. */
  private async checkOver(): Promise<void> {
    const { world, violations } = this;
    for (const key of KEYS) {
      const spawn = await world.stateOf(key);
      if (spawn.status !== 'none' && !isTerminal(spawn))
        violations.push(`${key}: ${spawn.status} in the end`);
    }
  }

  /** Every spawn that found room has its end by now, and it is the true one. */
  private async checkSettled(): Promise<void> {
    const { world, violations } = this;
    const hasRoom = (await world.slotsOf(world.named.id)) < CAPACITY;
    for (const key of KEYS) {
      const spawn = await world.stateOf(key);
      if (spawn.status === 'none') continue;
      if (isUnsent(spawn) && hasRoom)
        violations.push(`${key}: still ${spawn.status}, and there is room`);
      const starts = world.named.starts.get(idOfKey(key)) ?? 0;
      if (spawn.status === 'completed' && starts !== 1)
        violations.push(`${key}: completed, and ${String(starts)} agents were started`);
      if (spawn.status === 'failed' && !isUnknown(spawn) && starts > 0)
        violations.push(`${key}: ${spawn.failure?.code ?? ''}, and an agent was started`);
      if (spawn.status === 'dispatched' || spawn.status === 'claimed')
        violations.push(`${key}: still ${spawn.status}`);
      if (isTerminal(spawn) && isUnknown(spawn) && spawn.lateAgent === null)
        violations.push(`${key}: unknown, and its node was never heard`);
    }
  }
}
