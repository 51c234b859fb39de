import { itemAt } from './words.js';

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

/** Remembers what a pure function answered for up to three interned ids and one number below 4. */
export class Memo<T> {
  readonly #answers = new Map<number, T>();
  constructor(private readonly compute: (a: number, b: number, c: number, few: number) => T) {}

  of(a: number, b = 0, c = 0, few = 0): T {
    const key = ((a * IDS_MAX + b) * IDS_MAX + c) * 4 + few;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    if (a >= IDS_MAX || b >= IDS_MAX || c >= IDS_MAX || few >= 4)
      throw new RangeError('an interned id is past what a memo can tell apart');
    const answer = this.compute(a, b, c, few);
    this.#answers.set(key, answer);
    return answer;
  }
}

/** 2^16: three of them and two bits make an integer that a double holds exactly. */
const IDS_MAX = 65_536;
