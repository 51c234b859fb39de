/** The bound on a node's concurrent runs: who has a place, and who waits for one, first come first served. */
export class Places {
  readonly #holders = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  /** @param max how many runs may execute at once. Source: the node's configuration, 16 by default, 1 to 1,000. */
  constructor(private readonly max: number) {}

  get taken(): number {
    return this.#holders.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  has(who: string): boolean {
    return this.#holders.has(who);
  }

  /** Takes a place if one is free; else `onFree` is called once when it is this one's turn to try again. */
  take(who: string, onFree: () => void): boolean {
    if (this.#holders.has(who)) return true;
    if (this.#holders.size >= this.max) {
      this.#waiting.set(who, onFree);
      return false;
    }
    this.#waiting.delete(who);
    this.#holders.add(who);
    return true;
  }

  /** What runs already, runs: an adopted program holds a place even past the bound. */
  hold(who: string): void {
    this.#holders.add(who);
  }

  release(who: string): void {
    this.#waiting.delete(who);
    if (!this.#holders.delete(who)) return;
    const [next] = this.#waiting;
    if (next === undefined || this.#holders.size >= this.max) return;
    this.#waiting.delete(next[0]);
    next[1]();
  }
}
