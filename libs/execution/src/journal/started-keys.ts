import { createHash } from 'node:crypto';

/** Words of a digest that are kept: 128 of 256 bits. Two keys that collide would need about 2^64 keys to be likely. */
const WORDS = 4;
const INITIAL_SLOTS = 1_024;

/**
 * Keys that a journal must know for ever: which runs it has started. 16 bytes a key, in an open hash table at most half
 * full, so a million take 32 to 64 MB less than a set of strings would. A false answer would refuse a run, not start one twice.
 */
export class StartedKeys {
  #slots = new Uint32Array(INITIAL_SLOTS * WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#isAt(this.#slotOf(digestOf(key)));
  }

  add(key: string): void {
    this.#insert(digestOf(key));
  }

  /** Digests as text, for the file: 22 characters each. */
  *texts(): IterableIterator<string> {
    for (let at = 0; at < this.#slots.length; at += WORDS)
      if (this.#isAt(at))
        yield Buffer.from(this.#slots.slice(at, at + WORDS).buffer).toString('base64url');
  }

  /** @throws Error when the text is none that {@link texts} gave. */
  addText(text: string): void {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== WORDS * 4) throw new Error(`not a digest: ${text}`);
    this.#insert(wordsOf(bytes));
  }

  #insert(digest: Uint32Array): void {
    const at = this.#slotOf(digest);
    if (this.#isAt(at)) return;
    this.#slots.set(digest, at);
    this.#size += 1;
    if (this.#size * 2 * WORDS > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += WORDS) {
      const digest = before.subarray(at, at + WORDS);
      if (digest.some((word) => word !== 0)) this.#slots.set(digest, this.#slotOf(digest));
    }
  }

  /** Where the digest is, or where it would go. */
  #slotOf(digest: Uint32Array): number {
    const slots = this.#slots.length / WORDS;
    let slot = (digest[0] ?? 0) & (slots - 1); // A power of two.
    for (;;) {
      const at = slot * WORDS;
      if (!this.#isAt(at) || this.#equals(at, digest)) return at;
      slot = (slot + 1) & (slots - 1);
    }
  }

  #isAt(at: number): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#slots[at + word] !== 0) return true;
    return false;
  }

  #equals(at: number, digest: Uint32Array): boolean {
    for (let word = 0; word < WORDS; word++)
      if (this.#slots[at + word] !== digest[word]) return false;
    return true;
  }
}

const wordsOf = (bytes: Buffer): Uint32Array => {
  const words = new Uint32Array(WORDS);
  for (let word = 0; word < WORDS; word++) words[word] = bytes.readUInt32LE(word * 4);
  return words;
};

const digestOf = (key: string): Uint32Array => wordsOf(createHash('sha256').update(key).digest());
