import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalSettings } from './file-journal.js';
import { nodeJournalFs, type JournalFile, type JournalFs } from './journal-fs.js';
import type { JournalRules } from './journal-memory.js';

/** A journal that is easy to check: an entry is the list of its words. */
export interface Word {
  readonly of: string;
  readonly word: string;
}
export interface Words {
  readonly everStarted: boolean;
  readonly words: readonly string[];
}
export const wordRules: JournalRules<Word, Words> = {
  keyOf: ({ of }) => of,
  initial: (_key, everStarted) => ({ everStarted, words: [] }),
  evolve: ({ everStarted, words }, { word }) => ({
    everStarted: everStarted || word === 'started',
    words: [...words, word],
  }),
  wasStarted: ({ everStarted }) => everStarted,
  isSettled: ({ words }) => words.at(-1) === 'settled',
  bytesOf: ({ words }) => words.join().length,
};
export const word = (of: string, text: string): Word => ({ of, word: text });

export class TestClock {
  time = 1_000;
  now(): number {
    return this.time;
  }
}

export class Workplace {
  readonly root = mkdtempSync(join(tmpdir(), 'holdfast-journal-'));
  readonly folder = join(this.root, 'journal');
  readonly file = join(this.folder, 'journal.jsonl');
  readonly clock = new TestClock();

  settings(fs?: JournalFs): JournalSettings<Word, Words> {
    return {
      folder: this.folder,
      rules: wordRules,
      clock: this.clock,
      keepSettledMs: 100,
      keepSettledBytes: 8_000,
      compactAtDroppable: 2,
      ...(fs && { fs }),
    };
  }
  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A file system that counts syncs and fails on demand: each fault happens once. */
export class FaultyFs implements JournalFs {
  syncs = 0;
  /** Fails the write after so many bytes, as a full disk does: first a short write, then ENOSPC. */
  fullAfterBytes: number | undefined;
  failSync = false;
  failTruncate = false;
  /** A sync waits for it. */
  gate: Promise<void> = Promise.resolve();

  async openExisting(path: string): Promise<JournalFile | undefined> {
    const file = await nodeJournalFs.openExisting(path);
    return file && this.#faulty(file);
  }
  async create(path: string): Promise<JournalFile> {
    return this.#faulty(await nodeJournalFs.create(path));
  }
  rename(from: string, to: string): Promise<void> {
    return nodeJournalFs.rename(from, to);
  }
  removeIfThere(path: string): Promise<void> {
    return nodeJournalFs.removeIfThere(path);
  }
  syncFolder(folder: string): Promise<void> {
    return nodeJournalFs.syncFolder(folder);
  }

  #faulty(file: JournalFile): JournalFile {
    return {
      size: () => file.size(),
      read: (into, position) => file.read(into, position),
      close: () => file.close(),
      write: (bytes, position) => {
        const room = this.fullAfterBytes;
        if (room === undefined) return file.write(bytes, position);
        if (room === 0) {
          this.fullAfterBytes = undefined;
          return Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
        }
        this.fullAfterBytes = 0;
        return file.write(bytes.subarray(0, room), position);
      },
      datasync: async () => {
        this.syncs += 1;
        await this.gate;
        if (this.failSync) {
          this.failSync = false;
          throw Object.assign(new Error('input/output error'), { code: 'EIO' });
        }
        await file.datasync();
      },
      truncate: (length) => {
        if (!this.failTruncate) return file.truncate(length);
        this.failTruncate = false;
        return Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO' }));
      },
    };
  }
}
