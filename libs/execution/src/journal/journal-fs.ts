import { open, rename, rm } from 'node:fs/promises';

/** What the journal needs of a file. A port, so that tests can count, delay and fail each call. */
export interface JournalFile {
  size(): Promise<number>;
  /** @returns how many bytes were read; 0 at the end. */
  read(into: Buffer, position: number): Promise<number>;
  /** @returns how many bytes were written: possibly fewer than given. */
  write(bytes: Buffer, position: number): Promise<number>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface JournalFs {
  /** @returns undefined when there is no such file. */
  openExisting(path: string): Promise<JournalFile | undefined>;
  /** An empty file in place of whatever was there. */
  create(path: string): Promise<JournalFile>;
  rename(from: string, to: string): Promise<void>;
  removeIfThere(path: string): Promise<void>;
  /** Makes creations and renames in a folder durable. */
  syncFolder(folder: string): Promise<void>;
}

/** Readable by the agent's user only: frames hold prompts. */
const MODE = 0o600;

const fileOf = (handle: Awaited<ReturnType<typeof open>>): JournalFile => ({
  size: async () => (await handle.stat()).size,
  read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
  write: async (bytes, position) =>
    (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
  datasync: () => handle.datasync(),
  truncate: (length) => handle.truncate(length),
  close: () => handle.close(),
});

export const nodeJournalFs: JournalFs = {
  openExisting: async (path) => {
    try {
      return fileOf(await open(path, 'r+'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  },
  create: async (path) => fileOf(await open(path, 'w+', MODE)),
  rename,
  removeIfThere: (path) => rm(path, { force: true }),
  syncFolder: async (folder) => {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};
