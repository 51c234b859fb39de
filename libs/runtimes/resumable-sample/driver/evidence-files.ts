import { closeSync, fdatasyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { OUTCOME_FILE, RECEIPTS_FILE, type Receipt } from '#runtimes';
import type { DriverOutcome } from '../outcome.js';

/** What the driver leaves for whoever looks next, in its work directory. Synchronous: it is on the disk before anything else happens. */
export class EvidenceFiles {
  constructor(private readonly workdir: string) {}

  /** Call it with `sent` before the prompt leaves. */
  receipt(receipt: Receipt): void {
    this.#write(RECEIPTS_FILE, 'a', `${JSON.stringify(receipt)}\n`);
  }

  outcome(outcome: DriverOutcome): void {
    const next = `${OUTCOME_FILE}.new`;
    this.#write(next, 'w', JSON.stringify(outcome));
    renameSync(join(this.workdir, next), join(this.workdir, OUTCOME_FILE));
  }

  #write(name: string, flags: string, content: string): void {
    const file = openSync(join(this.workdir, name), flags, 0o600);
    try {
      writeSync(file, content);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
