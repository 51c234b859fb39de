import { itemAt, wordAt } from './words.js';

/**
 * Gives each distinct value a small integer, so that a state of the whole world is a handful of words.
 *
 * Two values are the same if their JSON is: keep the order of the keys, and leave out what no rule reads.
 */
export class Interner<T> {
  readonly #ids = new Map<string, number>();
  readonly #values: T[] = [];

  id(value: T): number {
    const text = JSON.stringify(value);
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#values.length;
    this.#ids.set(text, id);
    this.#values.push(value);
    return id;
  }

  at(id: number): T {
    return itemAt(this.#values, id);
  }

  get size(): number {
    return this.#values.length;
  }
}

/** Held here, because a test's sandbox looks each global up anew. */
const { imul } = Math;

/** Remembers what a pure function answered for up to three interned ids and one number below 4. */
export class Memo<T> {
  /** Three words a slot: the first two arguments, and the last two in one. The first is one more than it is; 0 = free. */
  #keys = new Int32Array(3 << 8);
  #answers: (T | undefined)[] = Array<T | undefined>(1 << 8).fill(undefined);
  #size = 0;
  constructor(private readonly compute: (a: number, b: number, c: number, few: number) => T) {}

  of(a: number, b = 0, c = 0, few = 0): T {
    const last = c * 4 + few;
    const slot = this.#slotOf(a, b, last);
    if (wordAt(this.#keys, slot * 3) !== 0) return this.#answers[slot] as T;
    const answer = this.compute(a, b, c, few);
    // What was computed may have asked this very memo: the slot is looked for again.
    this.#put(this.#slotOf(a, b, last), a, b, last, answer);
    this.#size += 1;
    if (this.#size * 2 > this.#answers.length) this.#grow();
    return answer;
  }

  /** Where it is, or the free slot where it belongs. */
  #slotOf(a: number, b: number, last: number): number {
    const mask = this.#answers.length - 1;
    let hash = imul(a, 0x9e3779b1) ^ imul(b, 0x85ebca6b) ^ imul(last, 0xc2b2ae35);
    hash = imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & mask;
    const keys = this.#keys;
    for (;;) {
      const at = slot * 3;
      const first = keys[at];
      if (first === 0 || (first === a + 1 && keys[at + 1] === b && keys[at + 2] === last))
        return slot;
      slot = (slot + 1) & mask;
    }
  }

  #put(slot: number, a: number, b: number, last: number, answer: T | undefined): void {
    this.#keys[slot * 3] = a + 1;
    this.#keys[slot * 3 + 1] = b;
    this.#keys[slot * 3 + 2] = last;
    this.#answers[slot] = answer;
  }

  #grow(): void {
    const [keys, answers] = [this.#keys, this.#answers];
    this.#keys = new Int32Array(keys.length * 2);
    this.#answers = Array<T | undefined>(answers.length * 2).fill(undefined);
    answers.forEach((answer, slot) => {
      const first = wordAt(keys, slot * 3);
      if (first === 0) return;
      const [a, b, last] = [first - 1, wordAt(keys, slot * 3 + 1), wordAt(keys, slot * 3 + 2)];
      this.#put(this.#slotOf(a, b, last), a, b, last, answer);
    });
  }
}
