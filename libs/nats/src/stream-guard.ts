import {
  EPOCH_REF,
  NO_COMMIT,
  RevisionConflict,
  StoreUnavailable,
  StreamDiverged,
  type EventStore,
  type Revision,
  type StreamEpochStarted,
} from '#event-store';
import type { Epoch, Instant } from '#kernel';
import type { NatsLink } from './connection.js';
import { sleep } from './patience.js';

/** A commit that was seen: if it is no longer there, the stream is another one. */
export interface SeenCommit {
  readonly epoch: Epoch;
  readonly sequence: Revision;
  readonly hash: string;
}

/** Keeps what was seen when a divergence was found, so that the next start of the process knows of it. */
export interface DivergenceMemory {
  load(): Promise<SeenCommit | undefined>;
  save(seen: SeenCommit | undefined): Promise<void>;
}

export interface GuardOptions {
  /** Called once: the process stops serving, and exits. */
  readonly onDiverged: (error: StreamDiverged) => void;
  readonly memory?: DivergenceMemory;
}

/** How long between two looks while the stream can't be read. Milliseconds. */
const LOOK_AGAIN_MS = 500;

/**
 * Notices that the stream was replaced by an older copy. It remembers the highest commit that its process saw, and
 * looks for it after every reconnect: another content there, or an earlier end, is a restore that nobody has declared.
 */
export class StreamGuard {
  private highest: SeenCommit | undefined;
  private epoch: Epoch = 1;
  private diverged: StreamDiverged | undefined;
  private readonly stopping = new AbortController();
  /**
   * The highest commits at the breaks that were not looked into yet, one per break: what is read after a break may come
   * from another stream already, so a later one never stands for an earlier one.
   */
  private unverified: SeenCommit[] = [];
  private looking = false;
  private readonly forgets: (() => void)[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly link: NatsLink,
    private readonly options: GuardOptions,
  ) {}

  /** Set when the stream is not the one that was seen: stay unready. */
  get divergence(): StreamDiverged | undefined {
    return this.diverged;
  }

  /** The epoch that the stream was in at the last look. */
  get currentEpoch(): Epoch {
    return this.epoch;
  }

  /**
   * Looks once, at what an earlier process left behind, then after every reconnect.
   *
   * @throws StreamDiverged an earlier process found a divergence, and no new epoch has been declared since.
   */
  async start(): Promise<void> {
    const left = await this.options.memory?.load();
    if (left) {
      await this.verify(left);
      await this.options.memory?.save(undefined);
    }
    this.epoch = await this.store.epoch();
    this.forgets.push(
      this.link.onDisconnect(() => this.noteBreak()),
      this.link.onReconnect(() => void this.lookUntilAnswered()),
    );
  }

  stop(): void {
    for (const forget of this.forgets.splice(0)) forget();
    this.stopping.abort();
  }

  /** Notes a commit that was appended, or read. */
  seen(sequence: Revision, hash: string): void {
    if (sequence > (this.highest?.sequence ?? NO_COMMIT))
      this.highest = { epoch: this.epoch, sequence, hash };
  }

  /**
   * Compares a commit that was seen with what the stream holds now. For checkpoints, too.
   *
   * @returns `newer-epoch` when the stream was restored since, and that is on record: what was seen may be gone.
   * @throws StreamDiverged it is gone and no newer epoch explains it.
   * @throws StoreUnavailable the stream can't be read now.
   */
  async verify(seen: SeenCommit): Promise<'same' | 'newer-epoch'> {
    const epoch = await this.store.epoch();
    if (epoch > seen.epoch) return 'newer-epoch';
    const end = await this.store.end(seen.sequence);
    if (end < seen.sequence)
      throw new StreamDiverged(`the stream ends at ${end}, but ${seen.sequence} was seen in it`);
    const hash = await this.hashAt(seen.sequence);
    if (hash !== seen.hash)
      throw new StreamDiverged(
        `commit ${seen.sequence} is ${hash ?? 'gone'}, ${seen.hash} was seen`,
      );
    return 'same';
  }

  private async hashAt(sequence: Revision): Promise<string | undefined> {
    return (await this.store.at(sequence))?.bodyHash;
  }

  /** Each break counts, also one while an earlier one is still looked into. */
  private noteBreak(): void {
    const { highest } = this;
    if (highest === undefined) return;
    // A new object: a look that is under way may have read before this break, and does not answer for it.
    this.unverified = [...this.unverified.filter((seen) => !isSame(seen, highest)), { ...highest }];
  }

  private async lookUntilAnswered(): Promise<void> {
    if (this.looking) return; // It sees what this break left as well.
    this.looking = true;
    try {
      while (!this.stopping.signal.aborted && this.diverged === undefined) {
        const seen = this.unverified[0];
        if (await this.look(seen)) {
          this.unverified = this.unverified.filter((one) => one !== seen);
          if (this.unverified.length === 0) return;
        } else await sleep(LOOK_AGAIN_MS, this.stopping.signal);
      }
    } finally {
      this.looking = false;
    }
  }

  /** Answers whether there was an answer. */
  private async look(seen: SeenCommit | undefined): Promise<boolean> {
    try {
      if (seen && (await this.verify(seen)) === 'newer-epoch' && isSame(seen, this.highest))
        this.highest = undefined;
      this.epoch = await this.store.epoch();
      return true;
    } catch (error) {
      if (error instanceof StoreUnavailable) return false;
      if (!(error instanceof StreamDiverged)) throw error;
      await this.report(error, seen);
      return true;
    }
  }

  private async report(error: StreamDiverged, seen: SeenCommit | undefined): Promise<void> {
    this.diverged = error;
    try {
      await this.options.memory?.save(seen);
    } catch (cause) {
      this.options.onDiverged(
        new StreamDiverged(`${error.message}; this could not be kept`, { cause }),
      );
      return;
    }
    this.options.onDiverged(error);
  }
}

const isSame = (one: SeenCommit, other: SeenCommit | undefined): boolean =>
  one.sequence === other?.sequence && one.hash === other.hash;

/**
 * Records the first epoch of a new stream. Whoever is second finds it there.
 *
 * @throws AppendFailed it may not be there yet: try again.
 */
export const ensureFirstEpoch = async (
  store: EventStore,
  actor: string,
  now: Instant,
): Promise<void> => {
  const started: StreamEpochStarted = { type: 'StreamEpochStarted', data: { epoch: 1, at: now } };
  try {
    await store.append({
      ref: EPOCH_REF,
      expected: NO_COMMIT,
      commandId: 'first-epoch',
      events: [started],
      metadata: { command: 'StartFirstEpoch', actor },
    });
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
};
