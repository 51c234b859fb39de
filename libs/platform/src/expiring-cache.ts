/** Keeps values for a while: the newest `capacity` of them, each for `lifetimeMs`. */
export class ExpiringCache<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly until: number }>();

  /**
   * @param lifetimeMs how long a value is given out after it was put in.
   * @param nowMs a clock that never goes back.
   */
  constructor(
    private readonly capacity: number,
    private readonly lifetimeMs: number,
    private readonly nowMs: () => number,
  ) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (this.nowMs() < entry.until) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, { value, until: this.nowMs() + this.lifetimeMs });
    if (this.entries.size <= this.capacity) return;
    const oldest = this.entries.keys().next(); // A map iterates in the order of insertion.
    if (oldest.done !== true) this.entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
