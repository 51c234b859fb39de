import { join } from 'node:path';
import type { Instant, JournalId } from '#kernel';
import { JournalCorrupt } from './errors.js';
import type { JournalFile, JournalFs } from './journal-fs.js';
import type { StoredRecord } from './journal-memory.js';
import { encodeLine, readLines, type Line } from './line-codec.js';
import type { StartedKeys } from './started-keys.js';

const FILE = 'journal.jsonl';
const NEXT = 'journal.next';
const VERSION = 1;
/** So that a line stays small. */
const STARTED_PER_LINE = 1_000;
/** How much is written at once when the file is rewritten. */
const WRITE_BYTES = 1_048_576;

/** The first line of the file. */
export interface JournalHeader {
  readonly journalId: JournalId;
  readonly version: typeof VERSION;
  readonly createdAt: Instant;
  /** The highest number given before the file was last rewritten: numbers are never given twice. */
  readonly lastSequence: number;
}

/** What a line holds. */
type Content<Record> =
  | { readonly header: JournalHeader }
  | { readonly started: readonly string[] }
  | { readonly stored: StoredRecord<Record> };

export const encodeRecord = <Record>(stored: StoredRecord<Record>): Buffer =>
  encodeLine({ stored } satisfies Content<Record>);

export interface JournalReader<Record> {
  header(header: JournalHeader): void;
  started(digest: string): void;
  record(stored: StoredRecord<Record>, line: Buffer): void | Promise<void>;
}

/** The journal's place on the disk: a folder with one file, replaced only as a whole. */
export class JournalFolder {
  readonly path: string;
  readonly #next: string;

  constructor(
    private readonly folder: string,
    private readonly fs: JournalFs,
  ) {
    this.path = join(folder, FILE);
    this.#next = join(folder, NEXT);
  }

  open(): Promise<JournalFile | undefined> {
    return this.fs.openExisting(this.path);
  }

  /**
   * Reads the file in order.
   *
   * @returns where its last whole line ends, and how many bytes of a torn write follow.
   * @throws JournalCorrupt
   */
  async read<Record>(
    file: JournalFile,
    reader: JournalReader<Record>,
  ): Promise<{ readonly end: number; readonly torn: number }> {
    let last = -1; // Before the header.
    let offset = 0;
    const read = await readLines(file, this.path, async ({ value, bytes }: Line) => {
      const content = value as Content<Record>;
      const damaged = (reason: string): Error => new JournalCorrupt(this.path, offset, reason);
      if (last < 0 !== 'header' in content) throw damaged('the header is not the first record');
      if ('header' in content) {
        if (content.header.version !== VERSION) throw damaged('written by another version');
        last = 0;
        reader.header(content.header);
      } else if ('started' in content) {
        content.started.forEach((digest) => reader.started(digest));
      } else {
        if (content.stored.sequence <= last) throw damaged('record numbers do not grow');
        last = content.stored.sequence;
        await reader.record(content.stored, bytes);
      }
      offset += bytes.length;
    });
    if (last < 0) throw new JournalCorrupt(this.path, 0, 'there is no header');
    return read;
  }

  /** Writes a new file and puts it into place, durably: a crash leaves either the old or the new one. */
  async replace(
    header: JournalHeader,
    started: StartedKeys,
    copy: (write: (line: Buffer) => Promise<void>) => Promise<void>,
  ): Promise<JournalFile> {
    const file = await this.fs.create(this.#next);
    const sink = new Sink(file);
    await sink.write(encodeLine({ header } satisfies Content<never>));
    let digests: string[] = [];
    const flushStarted = async (): Promise<void> => {
      if (digests.length > 0) await sink.write(encodeLine({ started: digests }));
      digests = [];
    };
    for (const digest of started.texts())
      if (digests.push(digest) === STARTED_PER_LINE) await flushStarted();
    await flushStarted();
    await copy((line) => sink.write(line));
    await sink.flush();
    await file.datasync();
    await this.fs.rename(this.#next, this.path);
    await this.fs.syncFolder(this.folder);
    return file;
  }

  /** What a crash left of an unfinished {@link replace}. */
  removeLeftovers(): Promise<void> {
    return this.fs.removeIfThere(this.#next);
  }
}

/** Collects lines to few writes. */
class Sink {
  #lines: Buffer[] = [];
  #bytes = 0;
  #position = 0;
  constructor(private readonly file: JournalFile) {}

  async write(line: Buffer): Promise<void> {
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#bytes >= WRITE_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#lines.splice(0));
    this.#bytes = 0;
    for (let done = 0; done < bytes.length;) {
      const written = await this.file.write(bytes.subarray(done), this.#position);
      if (written === 0) throw new Error('the file system took no byte');
      done += written;
      this.#position += written;
    }
  }
}
