import { wordAt, withRoom } from './words.js';

/** Held here, because a test's sandbox looks each global up anew. */
const { imul } = Math;

/** The set of all states seen: fixed-width vectors of words, numbered in the order of their arrival. */
export class StateTable {
  #words: Int32Array<ArrayBuffer>;
  /** Open addressing: state id + 1, 0 = free. Its length is a power of two. */
  #slots = new Int32Array(1 << 16);
  #size = 0;

  constructor(readonly width: number) {
    this.#words = new Int32Array(width << 14);
  }

  get size(): number {
    return this.#size;
  }

  /** The state's id; a new state gets the next one, which is the size before the call. */
  add(state: Int32Array): number {
    let slot = hashOf(state) & (this.#slots.length - 1);
    for (;;) {
      const held = wordAt(this.#slots, slot);
      if (held === 0) break;
      if (this.#holds(held - 1, state)) return held - 1;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    const id = this.#size++;
    this.#words = withRoom(this.#words, this.#size * this.width);
    this.#words.set(state, id * this.width);
    this.#slots[slot] = id + 1;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return id;
  }

  /** Copies a state out. */
  read(id: number, into: Int32Array): void {
    const from = id * this.width;
    for (let i = 0; i < this.width; i++) into[i] = wordAt(this.#words, from + i);
  }

  #holds(id: number, state: Int32Array): boolean {
    const from = id * this.width;
    for (let i = 0; i < this.width; i++) if (this.#words[from + i] !== state[i]) return false;
    return true;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const state = new Int32Array(this.width);
    for (let id = 0; id < this.#size; id++) {
      this.read(id, state);
      let slot = hashOf(state) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}

/** Multiply and fold, with a final mix so that the low bits, which pick the slot, depend on all words. */
const hashOf = (state: Int32Array): number => {
  let hash = 0x811c9dc5;
  for (const word of state) hash = imul(hash ^ word, 0x9e3779b1) ^ (hash >>> 15);
  hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
};
