/** Tells which revision of its aggregate an advance has taken into account: what was before it needs no further look. */
export type Saw = (revision: number) => void;

interface Running<Demand, Outcome> {
  seen: number;
  readonly done: Promise<Outcome>;
  next: { demand: Demand; revision: number; readonly done: Promise<Outcome> } | null;
}

/**
 * Advances each aggregate one at a time within this process, and each as often as there is something new: a wake-up that
 * the advance under way has seen, before it ends, joins it; all others share the one that follows.
 *
 * Only work is saved: two processes may advance the same aggregate at once, and the compare-and-set decides.
 */
export class KeyedAdvances<Demand, Outcome> {
  private readonly running = new Map<string, Running<Demand, Outcome>>();

  /**
   * @param work one advance. It calls `saw` with every revision that it goes on from.
   * @param merge what is demanded when two wake-ups share an advance.
   */
  constructor(
    private readonly work: (key: string, demand: Demand, saw: Saw) => Promise<Outcome>,
    private readonly merge: (one: Demand, other: Demand) => Demand,
  ) {}

  /** How many aggregates are being advanced. */
  get size(): number {
    return this.running.size;
  }

  /**
   * @param revision what the wake-up speaks of; Infinity when it speaks of nothing that an advance could have seen.
   * @returns what the advance that covers this wake-up came to.
   */
  async advance(key: string, demand: Demand, revision: number): Promise<Outcome> {
    const current = this.running.get(key);
    if (current === undefined) return this.start(key, demand);
    if (revision <= current.seen) return current.done;
    if (current.next === null)
      current.next = {
        demand,
        revision,
        done: current.done.then(
          (outcome) => this.followUnlessSeen(key, current, outcome),
          () => this.follow(key, current),
        ),
      };
    else {
      current.next.demand = this.merge(current.next.demand, demand);
      current.next.revision = Math.max(current.next.revision, revision);
    }
    return current.next.done;
  }

  /** Waits for whatever is under way. */
  async settled(): Promise<void> {
    while (this.running.size > 0)
      await Promise.allSettled([...this.running.values()].map(({ done }) => done));
  }

  /** The event of an advance's own append often comes before its acknowledgement: by now that is known to be its own. */
  private async followUnlessSeen(
    key: string,
    current: Running<Demand, Outcome>,
    outcome: Outcome,
  ): Promise<Outcome> {
    if (current.next === null || current.next.revision > current.seen)
      return this.follow(key, current);
    this.running.delete(key);
    return outcome;
  }

  private follow(key: string, { next }: Running<Demand, Outcome>): Promise<Outcome> {
    if (next === null) throw new Error('bug: nothing follows');
    return this.start(key, next.demand);
  }

  private start(key: string, demand: Demand): Promise<Outcome> {
    const entry: { seen: number; next: Running<Demand, Outcome>['next'] } = { seen: 0, next: null };
    const saw: Saw = (revision) => {
      entry.seen = Math.max(entry.seen, revision);
    };
    // Begins in a later turn: the entry is there before the work can ask for it.
    const done = Promise.resolve()
      .then(() => this.work(key, demand, saw))
      .finally(() => {
        // Whoever follows takes over the place in the map: nobody comes in between.
        if (entry.next === null) this.running.delete(key);
      });
    this.running.set(key, Object.assign(entry, { done }));
    return done;
  }
}
