import { join } from 'node:path';
import { RunningProcess, worded, type Exit, type ProcessSpec } from './child-process.js';
import { MARK_VARIABLE, type ProcessRecords } from './process-records.js';

/** What happened to a supervised process, for whoever shows progress. */
export type SupervisorEvent =
  | { readonly kind: 'started'; readonly name: string; readonly pid: number }
  | {
      readonly kind: 'ended';
      readonly name: string;
      readonly exit: Exit;
      readonly againInMs: number;
    }
  | {
      readonly kind: 'cannot-start';
      readonly name: string;
      readonly cause: unknown;
      readonly againInMs: number;
    }
  | { readonly kind: 'left-behind'; readonly name: string; readonly pid: number };

/** Where a supervised process is recorded, logged and told about. */
export interface Surroundings {
  readonly records: ProcessRecords;
  readonly logFolder: string;
  readonly onEvent: (event: SupervisorEvent) => void;
}

/** A process that lived shorter than this died at once. Source: services need about a second to start. */
const AT_ONCE_MS = 1_000;

/** First and longest wait before a process that dies at once is started again. Source: a crash loop then costs at most one start in 2 s. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/** One process that is started again whenever it ends, until it is told to stop. */
export class SupervisedProcess {
  constructor(
    readonly spec: ProcessSpec,
    readonly order: number,
    private readonly surroundings: Surroundings,
  ) {}

  /** The current run; the last one while it is down. */
  running: RunningProcess | undefined;
  private wanted = false;
  /** It was ready once. One that never was is its starter's to deal with, and not started again. */
  private cameUp = false;
  private upkeep: Promise<void> = Promise.resolve();
  private interruption = new AbortController();

  /** The number of the living process; `undefined` while it is down. */
  get pid(): number | undefined {
    const { running } = this;
    return running === undefined || running.exit !== undefined ? undefined : running.identity.pid;
  }

  /**
   * Starts it and waits until it is ready. From then on it is kept running.
   *
   * @throws Error when this first run ends, or is not ready in time: it is stopped then.
   */
  async start(readyMaxMs: number, signal?: AbortSignal): Promise<void> {
    this.wanted = true;
    this.cameUp = false;
    this.interruption = new AbortController();
    const firstRun = this.run();
    // A first run that cannot be started is the caller's to hear of; there is nothing to keep up then.
    this.upkeep = firstRun.then(
      (first) => this.keep(first),
      () => undefined,
    );
    try {
      const first = await firstRun;
      await first.ready(readyMaxMs, signal);
      if (first.exit !== undefined) throw new Error(`${this.spec.name} ${worded(first.exit)}`);
      this.cameUp = true;
    } catch (cause) {
      await this.stop();
      throw cause;
    }
  }

  /** Ends it for good: gracefully, after 15 s by SIGKILL. Resolves when it is gone and off the record. */
  async stop(): Promise<void> {
    this.wanted = false;
    this.interruption.abort();
    await this.running?.stop();
    await this.upkeep;
  }

  /** Follows one run after the other; returns when it is down for good. */
  private async keep(first: RunningProcess): Promise<void> {
    let running: RunningProcess | undefined = first;
    let deathsAtOnce = 0;
    for (;;) {
      if (running !== undefined) {
        const startedAt = performance.now();
        // `stop` may have come while it was being prepared, when there was nothing to signal.
        const exit = this.wanted ? await running.exited : await running.stop();
        this.surroundings.records.ended(this.spec.name);
        if (!this.wanted || !this.cameUp) return;
        deathsAtOnce = performance.now() - startedAt < AT_ONCE_MS ? deathsAtOnce + 1 : 0;
        this.tell({ kind: 'ended', exit, againInMs: waitAfter(deathsAtOnce) });
      }
      await this.pause(waitAfter(deathsAtOnce));
      if (!this.wanted) return;
      try {
        running = await this.run();
      } catch (cause) {
        running = undefined;
        deathsAtOnce += 1;
        this.tell({ kind: 'cannot-start', cause, againInMs: waitAfter(deathsAtOnce) });
      }
    }
  }

  /** One run, on record before and after its start. */
  private async run(): Promise<RunningProcess> {
    const { spec, order } = this;
    const { records, logFolder } = this.surroundings;
    await spec.prepare?.();
    const mark = records.intend(spec, order);
    const env = { ...spec.env, [MARK_VARIABLE]: mark };
    const running = new RunningProcess({ ...spec, env }, join(logFolder, `${spec.name}.log`));
    records.started(spec, order, mark, running.identity);
    this.running = running;
    this.tell({ kind: 'started', pid: running.identity.pid });
    return running;
  }

  /** `stop` cuts it short; the caller looks at `wanted` next. */
  private pause(ms: number): Promise<void> {
    const { signal } = this.interruption;
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, ms);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }

  private tell(event: WithoutName<SupervisorEvent>): void {
    this.surroundings.onEvent({ ...event, name: this.spec.name });
  }
}

type WithoutName<Event> = Event extends unknown ? Omit<Event, 'name'> : never;

/** 0 for a process that had worked; then 100 ms, 200 ms, 400 ms, … up to 2 s. */
export const waitAfter = (deathsAtOnce: number): number =>
  deathsAtOnce === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (deathsAtOnce - 1), LONGEST_WAIT_MS);
