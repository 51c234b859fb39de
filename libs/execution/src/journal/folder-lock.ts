import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bug } from '#kernel';
import type { ProcessIdentity } from '../domain/index.js';
import { identify, isAlive } from '../process/index.js';
import { JournalLocked } from './errors.js';

interface LockFile {
  readonly holder: ProcessIdentity;
  /** The holder closed the journal in order. */
  readonly released: boolean;
}

/** Each round loses only against a process that made progress; more losers than that at one start are a mistake. */
const ROUNDS_MAX = 100;

/**
 * Exclusive use of a folder that survives SIGKILL: the lock of a dead process is taken over.
 *
 * Locks are numbered, `lock.1`, `lock.2`, …; the highest counts, and the next one is made by a hard link, which only one can
 * make. Removing a stale lock and making the same one again would let two processes in that saw the same stale one. A number is
 * never used twice: closing rewrites the lock as released instead of removing it.
 *
 * It can't see across process-id namespaces: a folder that two containers share needs another guard.
 */
export class FolderLock {
  private constructor(
    private readonly folder: string,
    private readonly path: string,
    private readonly holder: ProcessIdentity,
  ) {}

  /** @throws JournalLocked when a living process holds it, this one included. */
  static async take(folder: string): Promise<FolderLock> {
    const holder = identify(process.pid);
    if (holder === undefined) throw bug('this process is not in the process table');
    const complete = join(folder, `.lock.${randomUUID()}`);
    await writeLock(complete, { holder, released: false });
    try {
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const number = await FolderLock.#tryNext(folder, complete);
        if (number === undefined) continue;
        await removeOlder(folder, number);
        return new FolderLock(folder, join(folder, nameOf(number)), holder);
      }
    } finally {
      await rm(complete, { force: true });
    }
    throw new Error(`can't get the lock of ${folder}: others keep taking it`);
  }

  /** @returns the number of the lock made, or undefined when another process was faster. */
  static async #tryNext(folder: string, complete: string): Promise<number | undefined> {
    const newest = Math.max(0, ...(await numbersIn(folder)));
    if (newest > 0) {
      const lock = await readLock(join(folder, nameOf(newest)));
      if (lock === undefined) return undefined; // Removed by the owner of a newer one.
      if (!lock.released && isAlive(lock.holder)) throw new JournalLocked(folder, lock.holder);
    }
    const next = newest + 1;
    if (!(await linked(complete, join(folder, nameOf(next))))) return undefined;
    // Whoever was delayed here until a newer lock was made and the older ones removed, holds nothing.
    if (Math.max(...(await numbersIn(folder))) === next) return next;
    await rm(join(folder, nameOf(next)), { force: true });
    return undefined;
  }

  async release(): Promise<void> {
    const complete = join(this.folder, `.lock.${randomUUID()}`);
    await writeLock(complete, { holder: this.holder, released: true });
    await rename(complete, this.path);
  }
}

const PREFIX = 'lock.';
const nameOf = (number: number): string => `${PREFIX}${number}`;

const numbersIn = async (folder: string): Promise<readonly number[]> =>
  (await readdir(folder))
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => Number(name.slice(PREFIX.length)))
    .filter(Number.isSafeInteger);

const removeOlder = async (folder: string, newest: number): Promise<void> => {
  const older = (await numbersIn(folder)).filter((number) => number < newest);
  await Promise.all(older.map((number) => rm(join(folder, nameOf(number)), { force: true })));
};

const linked = async (from: string, to: string): Promise<boolean> => {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

const readLock = async (path: string): Promise<LockFile | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LockFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const writeLock = (path: string, lock: LockFile): Promise<void> =>
  writeFile(path, JSON.stringify(lock), { mode: 0o600, flag: 'wx' });
