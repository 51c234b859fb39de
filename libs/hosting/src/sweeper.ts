import { pause } from '#platform';

/** A lock that makes one of several replicas the active one. Holding it saves work and proves nothing. */
export interface ActivityLock {
  /** Tries once, without waiting. @throws when it can't be asked for now. */
  tryAcquire(name: string): Promise<boolean>;
  holds(name: string): boolean;
}

export interface SweeperOptions {
  /** The lock's name: replicas of one sweep share it. */
  readonly name: string;
  /** From the beginning of one pass to the beginning of the next, ms. A longer pass delays the next; two never overlap. */
  readonly everyMs: number;
  readonly lock: ActivityLock;
  readonly pass: () => Promise<void>;
  /** A pass that failed is told, and the next one tries again. */
  readonly onProblem: (problem: unknown) => void;
}

/** Runs passes for as long as the lock is held, one after the other, until stopped. */
export class Sweeper {
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #passes = 0;
  #failed = false;

  constructor(private readonly options: SweeperOptions) {}

  /** Whether this replica is the one that sweeps. */
  get isActive(): boolean {
    return this.options.lock.holds(this.options.name);
  }

  /** Passes that were finished. */
  get passes(): number {
    return this.#passes;
  }

  /** Whether the last pass failed. */
  get failed(): boolean {
    return this.#failed;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedMs = performance.now();
      await this.#once();
      await pause(Math.max(0, this.options.everyMs - (performance.now() - startedMs)), signal);
    }
  }

  async #once(): Promise<void> {
    const { name, lock, pass, onProblem } = this.options;
    try {
      if (!lock.holds(name) && !(await lock.tryAcquire(name))) return;
      await pass();
      this.#passes += 1;
      this.#failed = false;
    } catch (problem) {
      this.#failed = true;
      onProblem(problem);
    }
  }
}
