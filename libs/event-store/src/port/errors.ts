/** Another writer was first. Nothing was written: read and decide again. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  readonly code = 'event_store.revision_conflict';
  constructor(
    readonly subject: string,
    readonly expected: number,
    options?: { readonly cause: unknown },
  ) {
    super(`${subject} is no longer at revision ${String(expected)}`, options);
  }
}

/** The append failed for a reason other than a conflict. `outcome` says what the stream may now hold. */
export class AppendFailed extends Error {
  override readonly name = 'AppendFailed';
  readonly code = 'event_store.append_failed';
  constructor(
    readonly subject: string,
    /** `unknown`: the request may have reached the server. Retry with the same command id and expectation. */
    readonly outcome: 'not-written' | 'unknown',
    options: { readonly cause: unknown },
  ) {
    super(
      `append to ${subject} failed; ${outcome === 'unknown' ? 'it may have been written' : 'nothing was written'}`,
      options,
    );
  }
}

/** The stream could not be read now. Says nothing about what it holds; try again later. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly code = 'event_store.unavailable';
}

/** What the stream holds contradicts what was read before: a restore, or corruption. Stop, and stay unready. */
export class StreamDiverged extends Error {
  override readonly name = 'StreamDiverged';
  readonly code = 'event_store.diverged';
}

/** Others kept winning: the command was decided {@link DECISIONS_MAX} times and never appended. Nothing was written. */
export class Contended extends Error {
  override readonly name = 'Contended';
  readonly code = 'contended';
  readonly retryable = true;
  constructor(
    readonly subject: string,
    readonly decisions: number,
    options: { readonly cause: unknown },
  ) {
    super(`${subject} was changed by others ${decisions} times while it was decided on`, options);
  }
}

/** A commit's body is larger than a message may be. Nothing was written; the same content will never fit. */
export class CommitTooLarge extends Error {
  override readonly name = 'CommitTooLarge';
  readonly code = 'event_store.commit_too_large';
  constructor(
    readonly subject: string,
    readonly bytes: number,
    readonly bytesMax: number,
  ) {
    super(`a commit on ${subject} has ${bytes} bytes, at most ${bytesMax} are allowed`);
  }
}

/** A name can't be part of a subject, or a commit lacks what it must carry. Nothing was sent. */
export class InvalidCommit extends Error {
  override readonly name = 'InvalidCommit';
  readonly code = 'event_store.invalid_commit';
}
