import { setTimeout as delay } from 'node:timers/promises';
import type { Commit, EventFeed } from '#event-store';
import {
  IDLE_SAVE_MS,
  ProjectionMember,
  contradictionIn,
  type MemberPorts,
} from './projection-member.js';
import type { Projection, ProjectionStatus } from './projection.js';

export interface ProjectionGroupOptions extends MemberPorts {
  readonly projections: readonly Projection[];
  readonly feed: EventFeed;
  /** Most commits in one transaction. Default {@link BATCH_MAX}. */
  readonly batchMax?: number;
  /** How long the first commit of a batch waits for others, ms. Default {@link LINGER_MS}. */
  readonly lingerMs?: number;
}

/** Beyond 500 rows a transaction gains little and holds its locks longer. Source: measured 86,000 rows a second at 500. */
export const BATCH_MAX = 500;
/** A fifth of the 100 ms within which rows must be current. */
export const LINGER_MS = 20;
/** The pause after a round that ended: the database or the stream was out of reach. */
const ROUND_PAUSE_MS = 100;
/** How often those that do not follow are looked at. */
const LOOK_MS = 500;

/**
 * The projections of one process: one reader of the stream, one checkpoint, lock and transaction for each.
 *
 * The stream is read once for all of them, because decoding a commit costs more than skipping it. A projection that
 * fails, is stopped, or is written by another process is left behind; the others go on, and it is caught up later.
 * Every way back, from a lost database to a replaced stream, is the same: open the checkpoints, and follow.
 */
export class ProjectionGroup {
  private readonly members: readonly ProjectionMember[];
  private round = new AbortController();

  constructor(private readonly options: ProjectionGroupOptions) {
    this.members = options.projections.map(
      (projection) => new ProjectionMember(projection, options),
    );
  }

  get statuses(): readonly ProjectionStatus[] {
    return this.members.map(({ status }) => status);
  }

  /** Compares every checkpoint with the stream again: after each connect to the broker, which may hold another stream. */
  reopen(): void {
    this.round.abort();
  }

  /** Projects until `signal` aborts. Never rejects for what the database or the stream do. */
  async run(signal: AbortSignal): Promise<void> {
    const forget = this.options.locks.onLost(() => this.reopen());
    const end = (): void => this.round.abort();
    signal.addEventListener('abort', end);
    try {
      while (!signal.aborted) {
        this.round = new AbortController();
        await this.runRound(this.round.signal);
        if (!signal.aborted) await delay(ROUND_PAUSE_MS);
      }
    } finally {
      signal.removeEventListener('abort', end);
      forget();
    }
  }

  private async runRound(signal: AbortSignal): Promise<void> {
    try {
      for (const member of this.members) await member.open();
      const watching = new AbortController();
      const watched = this.watch(AbortSignal.any([signal, watching.signal]));
      try {
        await this.follow(signal);
      } finally {
        watching.abort();
        await watched;
      }
    } catch (problem) {
      this.options.observer.problem(undefined, problem);
      const finding = contradictionIn(problem);
      if (finding === undefined) return;
      for (const member of this.members) if (member.isTaking) await member.stop(finding);
    }
  }

  /** Ends the round when somebody who does not follow might do so again. */
  private async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await paused(LOOK_MS, signal);
      try {
        for (const member of this.members) if (await member.wantsToFollow()) this.reopen();
      } catch (problem) {
        this.options.observer.problem(undefined, problem);
      }
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const following = this.members.filter(({ isTaking }) => isTaking);
    if (following.length === 0) {
      await paused(Infinity, signal);
      return;
    }
    const { feed, batchMax = BATCH_MAX, lingerMs = LINGER_MS } = this.options;
    const ended = new AbortController();
    const after = Math.min(...following.map(({ position }) => position));
    const batches = feed
      .follow({ after, batchMax, lingerMs, signal: AbortSignal.any([signal, ended.signal]) })
      [Symbol.asyncIterator]();
    try {
      await this.takeAll(batches, following, signal);
    } finally {
      ended.abort(); // Not waited for: what it still hands over is dropped.
    }
  }

  private async takeAll(
    batches: AsyncIterator<readonly Commit[]>,
    following: readonly ProjectionMember[],
    signal: AbortSignal,
  ): Promise<void> {
    let next = outcomeOf(batches.next());
    while (!signal.aborted && following.some(({ isTaking }) => isTaking)) {
      const arrived = await this.arrivedOrIdle(next, following, signal);
      if (arrived === 'idle') {
        await Promise.all(following.map((member) => member.save()));
        continue;
      }
      if ('problem' in arrived) throw arrived.problem;
      if (arrived.result.done === true) return;
      const batch = arrived.result.value;
      next = outcomeOf(batches.next()); // Is gathered and decoded while the database works.
      await Promise.all(following.map((member) => member.take(batch)));
    }
  }

  /** The next batch; or `idle`, when the round ends, or none came for a while and a position waits to be saved. */
  private async arrivedOrIdle(
    next: Promise<Outcome>,
    following: readonly ProjectionMember[],
    signal: AbortSignal,
  ): Promise<Outcome | 'idle'> {
    const arrived = new AbortController();
    const isWaiting = following.some(({ hasUnsaved }) => hasUnsaved);
    const idle = paused(
      isWaiting ? IDLE_SAVE_MS : Infinity,
      AbortSignal.any([signal, arrived.signal]),
    );
    try {
      return await Promise.race([next, idle.then(() => 'idle' as const)]);
    } finally {
      arrived.abort();
    }
  }
}

/** What became of a look at the feed, kept until somebody has time for it. */
type Outcome =
  { readonly result: IteratorResult<readonly Commit[]> } | { readonly problem: unknown };

const outcomeOf = async (next: Promise<IteratorResult<readonly Commit[]>>): Promise<Outcome> => {
  try {
    return { result: await next };
  } catch (problem) {
    return { problem };
  }
};

/** Resolves after `ms`, or when the signal aborts. */
const paused = async (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = ms === Infinity ? undefined : setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
