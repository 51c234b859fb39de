/** Gathers items into batches: at once when enough are there, else after a linger. Bounded: a full buffer makes `put` wait. */
export class BatchBuffer<Item> {
  private items: Item[] = [];
  private ended = false;
  private wakeReader: (() => void) | undefined;
  private wakeWriter: (() => void) | undefined;

  /** @param capacity items, at least as many as a batch may hold. */
  constructor(private readonly capacity: number) {}

  async put(item: Item): Promise<void> {
    while (this.items.length >= this.capacity && !this.ended)
      await new Promise<void>((resolve) => {
        this.wakeWriter = resolve;
      });
    this.items.push(item);
    this.wakeReader?.();
  }

  /** No more items come. What is there can still be taken. */
  end(): void {
    this.ended = true;
    this.wakeReader?.();
    this.wakeWriter?.();
  }

  /** Up to `max` items, as soon as `lingerMs` passed since the first of them was seen; none only after the end. */
  async take(max: number, lingerMs: number): Promise<readonly Item[]> {
    while (this.items.length === 0 && !this.ended) await this.woken();
    if (this.items.length < max && !this.ended && lingerMs > 0) await this.lingered(max, lingerMs);
    const batch = this.items.splice(0, max);
    this.wakeWriter?.();
    return batch;
  }

  private async lingered(max: number, lingerMs: number): Promise<void> {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.wakeReader?.();
    }, lingerMs);
    while (this.items.length < max && !this.ended && !isOver) await this.woken();
    clearTimeout(timer);
  }

  private async woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wakeReader = resolve;
    });
    this.wakeReader = undefined;
  }
}
