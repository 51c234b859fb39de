import type { Epoch, Instant } from '#kernel';
import type { Commit } from './port/event-store.js';

/** Appended to the epoch aggregate when the stream begins, and after each restore. */
export interface StreamEpochStarted {
  readonly type: 'StreamEpochStarted';
  readonly data: {
    /** 1 for a new stream; one more after each restore. */
    readonly epoch: Epoch;
    /** What the stream was restored from, such as a backup's name. */
    readonly restoredFrom?: string;
    /** The last revision that the restored copy held, and its commit's body hash. */
    readonly lastSequence?: number;
    readonly lastHash?: string;
    readonly at: Instant;
  };
}

/** The epoch that these commits of the epoch aggregate lead to; 1 when there is none yet. */
export const epochOf = (commits: readonly Commit[]): Epoch =>
  commits
    .flatMap(({ events }) => events as readonly StreamEpochStarted[])
    .filter(({ type }) => type === 'StreamEpochStarted')
    .reduce((newest, { data }) => Math.max(newest, data.epoch), 1);
