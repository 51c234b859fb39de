import { JournalWriteFailed } from './errors.js';
import type { JournalFile } from './journal-fs.js';

/** One `write` and one `fdatasync` carry at most so much. Source: a disk writes a mebibyte in about the time of one sync. */
const BATCH_MAX_BYTES = 1_048_576;

interface Waiting {
  readonly bytes: Buffer;
  readonly durable: () => void;
  readonly failed: (error: JournalWriteFailed) => void;
}

/**
 * Appends to a file, and answers when the bytes are on the disk. All that waits while a sync runs shares the next one, so
 * that the rate of records is not bound by the rate of syncs. Order is kept, and an earlier failure fails all that wait.
 */
export class GroupWriter {
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #broken: JournalWriteFailed | undefined;

  /**
   * @param position where the last whole line ends.
   * @param onFailure called at once when a write failed, before anybody learns of it: what was decided on it is void.
   */
  constructor(
    private readonly file: JournalFile,
    private position: number,
    private readonly onFailure: () => void,
  ) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * @param durable called in order, before the promise settles.
   * @throws JournalWriteFailed (as a rejection) and nothing of what waited then, or is decided on it, is acknowledged.
   */
  append(bytes: Buffer, durable: () => void): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, failed) => {
      this.#waiting.push({
        bytes,
        durable: () => {
          durable();
          resolve();
        },
        failed,
      });
      this.#flushing ??= this.#flush();
    });
  }

  /** Settles when all that waits now is on the disk, or failed. */
  async idle(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  async #flush(): Promise<void> {
    await Promise.resolve(); // What the same turn of the event loop appends goes into the first batch too.
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#write(Buffer.concat(batch.map(({ bytes }) => bytes)));
      } catch (error) {
        const failure = error as JournalWriteFailed;
        if (failure.outcome === 'unknown') this.#broken = failure;
        this.onFailure();
        for (const { failed } of [...batch, ...this.#waiting.splice(0)]) failed(failure);
        continue;
      }
      for (const { durable } of batch) durable();
    }
    this.#flushing = undefined;
  }

  #nextBatch(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count > 0 && bytes + waiting.bytes.length > BATCH_MAX_BYTES) break;
      bytes += waiting.bytes.length;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return; // Only questions that wait for what they were decided on, which is durable now.
    try {
      for (let done = 0; done < bytes.length;) {
        const written = await this.file.write(bytes.subarray(done), this.position + done);
        if (written === 0) throw new Error('the file system took no byte');
        done += written;
      }
    } catch (cause) {
      await this.#takeBack(cause);
      throw new JournalWriteFailed('not-written', { cause });
    }
    try {
      await this.file.datasync();
    } catch (cause) {
      // The kernel may have dropped the pages and forgotten it: a second sync that succeeds would prove nothing.
      throw new JournalWriteFailed('unknown', { cause });
    }
    this.position += bytes.length;
  }

  /** A part may be in the file. It is cut off durably, or nobody can say what is there. */
  async #takeBack(cause: unknown): Promise<void> {
    try {
      await this.file.truncate(this.position);
      await this.file.datasync();
    } catch (error) {
      throw new JournalWriteFailed('unknown', { cause: new AggregateError([cause, error]) });
    }
  }
}
