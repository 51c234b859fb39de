import type { Epoch } from '#kernel';
import type { Checkpoint } from './checkpoints.js';

/** What the stream shows of the place where a checkpoint stands. */
export interface StreamAtCheckpoint {
  readonly epoch: Epoch;
  /** The last sequence of the whole stream. */
  readonly end: number;
  /** Of the commit at the checkpoint's sequence; undefined when there is none. */
  readonly hash: string | undefined;
}

/**
 * Why a projection must not go on from its checkpoint, in plain words; null when it may.
 *
 * Its rows may contain what a restored stream no longer holds: that is no lag, and following on would mix two histories.
 */
export const findingOn = (checkpoint: Checkpoint, stream: StreamAtCheckpoint): string | null => {
  const { epoch, sequence, hash } = checkpoint;
  if (stream.epoch !== epoch)
    return `its rows are of epoch ${epoch}, the stream is in epoch ${stream.epoch}: it was restored, rebuild the projection`;
  if (sequence > stream.end)
    return `its rows contain sequence ${sequence}, the stream ends at ${stream.end}: it was replaced by an older copy`;
  if (sequence > 0 && stream.hash !== hash)
    return `the commit at sequence ${sequence} is not the one that its rows contain: the stream was replaced`;
  return null;
};
