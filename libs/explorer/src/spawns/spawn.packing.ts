import type { NodeState } from '#nodes/domain';
import type { SpawnState } from '#spawns/domain';
import { Interner, itemAt, wordAt } from '../engine/index.js';
import type { Pending, Work, World } from './spawn.world.js';

const WORK: readonly Work[] = ['-', 'asks', 'granted', 'running', 'ended', 'closed'];
const AGENT: readonly World['agent'][] = ['none', 'alive', 'ended'];

/** Small numbers, and how large each can be, in the order in which they are packed into one word. */
const DIGITS = {
  frame: 2,
  nextFrame: 2,
  work: 6,
  nextWork: 6,
  agent: 3,
  incarnation: 4,
  nextIncarnation: 4,
  starts: 3,
  other: 8,
  crashesLeft: 4,
  lostLeft: 4,
};
const SIZES: readonly number[] = Object.values(DIGITS);

/** A world in six words: the folds and what is pending by number, the rest as digits. */
export class WorldPacking {
  static readonly width = 6;
  readonly #spawns = new Interner<SpawnState>();
  readonly #nodes = new Interner<NodeState | null>();
  readonly #pendings = new Interner<Pending | null>();
  /** What was unpacked is mostly packed again as it is. */
  readonly #known = new WeakMap<object, number>();
  /** A state is looked at many times in a row: by each goal, and by what judges it. */
  readonly #last = {
    words: new Int32Array(WorldPacking.width).fill(-1),
    world: null as World | null,
  };

  pack(world: World, into: Int32Array): void {
    const [node, other = null] = world.nodes;
    const [one, two] = world.workers;
    const first = this.#idOf(this.#pendings, one);
    const second = this.#idOf(this.#pendings, two);
    into[0] = this.#idOf(this.#spawns, world.spawn);
    into[1] = this.#idOf(this.#nodes, node ?? null);
    // Who is first does not matter: half as many worlds.
    into[2] = first < second ? first : second;
    into[3] = first < second ? second : first;
    into[4] = wordOf(digitsOf(world));
    into[5] = this.#idOf(this.#nodes, other);
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
    const { words, world: last } = this.#last;
    if (last !== null && words.every((word, index) => word === state[index])) return last;
    const world = this.#unpacked(state);
    words.set(state);
    this.#last.world = world;
    return world;
  }

  #unpacked(state: Int32Array): World {
    const node = this.#nodes.at(wordAt(state, 1));
    const nextNode = this.#nodes.at(wordAt(state, 5));
    const digits = digitsIn(wordAt(state, 4));
    return {
      spawn: this.#spawns.at(wordAt(state, 0)),
      nodes: [node, nextNode].filter((one) => one !== null),
      workers: [this.#pendings.at(wordAt(state, 2)), this.#pendings.at(wordAt(state, 3))],
      frames: [digits[0] === 1, digits[1] === 1],
      works: [itemAt(WORK, itemAt(digits, 2)), itemAt(WORK, itemAt(digits, 3))],
      agent: itemAt(AGENT, itemAt(digits, 4)),
      incarnations: [itemAt(digits, 5), itemAt(digits, 6)],
      starts: itemAt(digits, 7),
      other: itemAt(digits, 8),
      crashesLeft: itemAt(digits, 9),
      lostLeft: itemAt(digits, 10),
    };
  }
}

/** In the order of {@link DIGITS}. */
const digitsOf = (world: World): readonly number[] => {
  const { frames, works, agent, incarnations } = world;
  const { starts, other, crashesLeft, lostLeft } = world;
  return [
    frames[0] ? 1 : 0,
    frames[1] ? 1 : 0,
    WORK.indexOf(works[0]),
    WORK.indexOf(works[1]),
    AGENT.indexOf(agent),
    ...incarnations,
    starts,
    other,
    crashesLeft,
    lostLeft,
  ];
};

const wordOf = (digits: readonly number[]): number => {
  let word = 0;
  for (let index = 0; index < SIZES.length; index += 1)
    word = word * itemAt(SIZES, index) + itemAt(digits, index);
  return word;
};

const digitsIn = (packed: number): readonly number[] => {
  const digits: number[] = [];
  let word = packed;
  for (let index = SIZES.length - 1; index >= 0; index -= 1) {
    const size = itemAt(SIZES, index);
    const digit = word % size;
    digits[index] = digit;
    word = (word - digit) / size;
  }
  return digits;
};
