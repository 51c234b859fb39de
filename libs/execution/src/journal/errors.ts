import type { ProcessIdentity } from '../domain/index.js';

/** Another process writes this journal, or this very process does already. Nothing was opened. */
export class JournalLocked extends Error {
  override readonly name = 'JournalLocked';
  readonly code = 'journal.locked';
  constructor(
    readonly folder: string,
    readonly holder: ProcessIdentity,
  ) {
    super(
      `the journal in ${folder} is held by process ${holder.pid}, which is alive: stop that agent first`,
    );
  }
}

/**
 * The journal holds something that no crash of its writer leaves behind. It must not be used, because what is missing may
 * be a start: restore the node with a new, empty journal, and let the reconciler treat the old one as lost.
 */
export class JournalCorrupt extends Error {
  override readonly name = 'JournalCorrupt';
  readonly code = 'journal.corrupt';
  constructor(
    readonly path: string,
    /** Of the first byte that can't be read. */
    readonly offset: number,
    reason: string,
  ) {
    super(`${path} is damaged at byte ${offset}: ${reason}`);
  }
}

/** A record was not acknowledged. `outcome` says what the file may now hold. */
export class JournalWriteFailed extends Error {
  override readonly name = 'JournalWriteFailed';
  readonly code = 'journal.write_failed';
  constructor(
    /** `not-written`: the file is as before, and a later write may succeed. `unknown`: the journal is closed; reopen it to know. */
    readonly outcome: 'not-written' | 'unknown',
    options: { readonly cause?: unknown } = {},
  ) {
    super(
      outcome === 'not-written'
        ? 'the journal could not be written; it is unchanged'
        : 'the journal could not be written, and may hold the record; it takes no more before it is opened again',
      options,
    );
  }
}

/** More is waiting to be written than the bound allows. Nothing was decided or written; try again later. */
export class JournalOverloaded extends Error {
  override readonly name = 'JournalOverloaded';
  readonly code = 'journal.overloaded';
  constructor(readonly waiting: number) {
    super(`${waiting} records wait for the disk`);
  }
}
