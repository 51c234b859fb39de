import type { NodeState } from '#nodes/domain';
import type { SpawnState } from '#spawns/domain';
import { Interner, itemAt, wordAt } from '../engine/index.js';
import type { Pending, World } from './spawn.world.js';

const WORK: readonly World['work'][] = ['-', 'asks', 'granted', 'running', 'ended', 'closed'];
const AGENT: readonly World['agent'][] = ['none', 'alive', 'ended'];

/** Small numbers, and how large each can be, in the order in which they are packed into one word. */
const DIGITS = {
  frame: 2,
  work: 6,
  agent: 3,
  incarnation: 4,
  starts: 3,
  other: 8,
  crashesLeft: 4,
  lostLeft: 4,
};
type Digit = keyof typeof DIGITS;

/** A world in five words: the folds and what is pending by number, the rest as digits. */
export class WorldPacking {
  static readonly width = 5;
  readonly #spawns = new Interner<SpawnState>();
  readonly #nodes = new Interner<NodeState>();
  readonly #pendings = new Interner<Pending | null>();
  /** What was unpacked is mostly packed again as it is. */
  readonly #known = new WeakMap<object, number>();

  pack(world: World, into: Int32Array): void {
    const workers = world.workers.map((pending) => this.#idOf(this.#pendings, pending));
    into[0] = this.#idOf(this.#spawns, world.spawn);
    into[1] = this.#idOf(this.#nodes, world.node);
    // Who is first does not matter: half as many worlds.
    into[2] = Math.min(itemAt(workers, 0), itemAt(workers, 1));
    into[3] = Math.max(itemAt(workers, 0), itemAt(workers, 1));
    const values: Readonly<Record<Digit, number>> = {
      ...world,
      frame: world.frame ? 1 : 0,
      work: WORK.indexOf(world.work),
      agent: AGENT.indexOf(world.agent),
    };
    let word = 0;
    for (const [name, size] of Object.entries(DIGITS)) word = word * size + values[name as Digit];
    into[4] = word;
  }

  #idOf<T extends object | null>(interner: Interner<T>, value: T): number {
    const known = value === null ? undefined : this.#known.get(value);
    if (known !== undefined) return known;
    const id = interner.id(value);
    const kept = interner.at(id);
    if (kept !== null) this.#known.set(kept, id);
    return id;
  }

  unpack(state: Int32Array): World {
    let word = wordAt(state, 4);
    const digits = new Map<string, number>();
    for (const [name, size] of Object.entries(DIGITS).reverse()) {
      digits.set(name, word % size);
      word = Math.floor(word / size);
    }
    const digit = (name: Digit): number => digits.get(name) ?? 0;
    return {
      spawn: this.#spawns.at(wordAt(state, 0)),
      node: this.#nodes.at(wordAt(state, 1)),
      workers: [this.#pendings.at(wordAt(state, 2)), this.#pendings.at(wordAt(state, 3))],
      frame: digit('frame') === 1,
      work: itemAt(WORK, digit('work')),
      agent: itemAt(AGENT, digit('agent')),
      incarnation: digit('incarnation'),
      starts: digit('starts'),
      other: digit('other'),
      crashesLeft: digit('crashesLeft'),
      lostLeft: digit('lostLeft'),
    };
  }
}
