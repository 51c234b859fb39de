import {
  AppendFailed,
  CommitTooLarge,
  Contended,
  RevisionConflict,
  StoreUnavailable,
  StreamDiverged,
} from '#event-store';
import { RuleViolation, type Json } from '#kernel';

/** A request was not carried out, in the words of the wire. */
export interface WireProblem {
  /** Stable. Match on this, never on the message. */
  readonly code: string;
  readonly message: string;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  readonly details?: Json;
}

/** The wire's words for an error; undefined for one that nobody expects. Contains nothing secret. */
export const problemOf = (error: unknown): WireProblem | undefined => {
  if (error instanceof RuleViolation) {
    const { code, message, details } = error;
    const isEmpty = Object.keys(details).length === 0;
    return { code, message, retryable: false, ...(isEmpty ? {} : { details }) };
  }
  if (error instanceof NotNow) return { code: error.code, message: error.message, retryable: true };
  if (error instanceof Contended || error instanceof RevisionConflict)
    return {
      code: 'contended',
      message: 'others changed it at the same time; nothing was written',
      retryable: true,
    };
  if (error instanceof AppendFailed)
    return {
      code: 'unavailable',
      message:
        error.outcome === 'unknown'
          ? 'the event store did not answer; it may have been written: ask again with the same key'
          : 'the event store can not be reached; nothing was written',
      retryable: true,
    };
  if (error instanceof StoreUnavailable || error instanceof StreamDiverged)
    return { code: 'unavailable', message: 'the event store can not be read now', retryable: true };
  if (error instanceof CommitTooLarge)
    return {
      code: 'payload_too_large',
      message: 'it does not fit into one commit',
      retryable: false,
    };
  return undefined;
};

/** It can't be decided now, and nothing was written; the same request may be decided later. */
export class NotNow extends Error {
  override readonly name = 'NotNow';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
