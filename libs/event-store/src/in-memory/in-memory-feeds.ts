import type {
  Commit,
  Delivery,
  EventFeed,
  Revision,
  SubscriptionFeed,
} from '../port/event-store.js';
import type { InMemoryEventStore } from './in-memory-event-store.js';

/** Follows an in-memory store. Its batches are handed over at once: in memory, lingering gathers nothing. */
export class InMemoryEventFeed implements EventFeed {
  constructor(protected readonly store: InMemoryEventStore) {}

  async *follow(options: Parameters<EventFeed['follow']>[0]): AsyncGenerator<readonly Commit[]> {
    const { aggregates, batchMax, signal } = options;
    let position: Revision = options.after;
    while (!signal.aborted) {
      const next = this.store.after(position, batchMax);
      const last = next[next.length - 1];
      if (last === undefined) {
        await this.store.grownPast(position, signal);
        continue;
      }
      position = last.revision;
      const wanted = next.filter(({ ref }) => aggregates?.includes(ref.aggregate) ?? true);
      if (wanted.length > 0) yield wanted;
    }
  }
}

/** What all replicas under one durable name share. */
export interface Durable {
  position: Revision;
  readonly redelivered: { readonly commit: Commit; readonly deliveryCount: number }[];
  readonly wakeUps: Set<() => void>;
}

/**
 * Shares commits among subscribers of one durable name. A delivery that fails, or asks for later, comes back, to
 * whichever replica is free.
 */
export class InMemorySubscriptionFeed implements SubscriptionFeed {
  private readonly durables = new Map<string, Durable>();

  /** @param onProblem told of what a handler threw: its commit comes back, as from a broker. */
  constructor(
    protected readonly store: InMemoryEventStore,
    private readonly onProblem: (problem: unknown) => void = () => undefined,
  ) {}

  async subscribe(
    options: Parameters<SubscriptionFeed['subscribe']>[0],
  ): Promise<{ stop(): Promise<void> }> {
    const durable = this.durableOf(options.durable);
    const stopping = new AbortController();
    const workers = Array.from({ length: options.concurrency }, () =>
      this.work(durable, options, stopping.signal),
    );
    return {
      stop: async () => {
        stopping.abort();
        for (const wake of [...durable.wakeUps]) wake();
        await Promise.all(workers);
      },
    };
  }

  protected durableOf(name: string): Durable {
    const present = this.durables.get(name);
    if (present) return present;
    const durable: Durable = { position: 0, redelivered: [], wakeUps: new Set() };
    this.durables.set(name, durable);
    return durable;
  }

  private async work(
    durable: Durable,
    options: Parameters<SubscriptionFeed['subscribe']>[0],
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      const seen = this.store.length; // Before the look: what is appended after it ends the wait below.
      const next = this.take(durable, options.aggregate);
      if (next === undefined) await this.woken(durable, seen, signal);
      else await this.deliver(durable, options.handle, next.commit, next.deliveryCount);
    }
  }

  private take(
    durable: Durable,
    aggregate: string,
  ): { commit: Commit; deliveryCount: number } | undefined {
    const again = durable.redelivered.shift();
    if (again) return again;
    const [commit] = this.store.after(durable.position, 1, aggregate);
    if (commit === undefined) return undefined;
    durable.position = commit.revision;
    return { commit, deliveryCount: 1 };
  }

  protected async deliver(
    durable: Durable,
    handle: (delivery: Delivery) => Promise<void>,
    commit: Commit,
    deliveryCount: number,
  ): Promise<void> {
    let isDone = false;
    let delayMs = 0;
    const delivery: Delivery = {
      commit,
      deliveryCount,
      done: async () => {
        isDone = true;
      },
      later: (ms) => {
        delayMs = ms;
      },
    };
    await handle(delivery).catch(this.onProblem);
    if (isDone) return;
    setTimeout(() => {
      durable.redelivered.push({ commit, deliveryCount: deliveryCount + 1 });
      for (const wake of [...durable.wakeUps]) wake();
    }, delayMs).unref();
  }

  private async woken(durable: Durable, seen: Revision, signal: AbortSignal): Promise<void> {
    const waking = new AbortController();
    const wake = (): void => waking.abort();
    durable.wakeUps.add(wake);
    signal.addEventListener('abort', wake);
    await this.store.grownPast(seen, waking.signal);
    durable.wakeUps.delete(wake);
    signal.removeEventListener('abort', wake);
  }
}
