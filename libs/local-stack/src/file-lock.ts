import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readIfPresent } from './private-files.js';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.js';

/** How often a waiter looks whether the lock is free. Source: a download takes 1 to 3 s; 20 looks a second are cheap. */
const LOOK_EVERY_MS = 50;

/** The lock, or the living process that has it. */
export type LockAttempt =
  | { readonly held: true; readonly release: () => Promise<void> }
  | { readonly held: false; readonly holder: ProcessIdentity };

/** Takes the lock file `path` unless a living process holds it. A dead process holds nothing. */
export const tryLock = async (path: string): Promise<LockAttempt> => {
  await mkdir(dirname(path), { recursive: true });
  for (;;) {
    if (await linkOwn(path)) return { held: true, release: () => rm(path, { force: true }) };
    const holder = await holderOf(path);
    if (holder === undefined) continue; // Released between the two looks.
    if (isAlive(holder)) return { held: false, holder };
    await removeDead(path, holder);
  }
};

/**
 * Runs `work` while holding a lock file, so that parallel processes do it one after another.
 *
 * @param waitMaxMs how long to wait for another holder.
 * @throws Error when the lock is still held after `waitMaxMs`; names the holder and the file.
 */
export const withFileLock = async <T>(
  path: string,
  waitMaxMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  const deadline = Date.now() + waitMaxMs;
  for (;;) {
    const attempt = await tryLock(path);
    if (attempt.held) {
      try {
        return await work();
      } finally {
        await attempt.release();
      }
    }
    if (Date.now() > deadline) {
      throw new Error(
        `${path} has been held by process ${attempt.holder.pid} for more than ${waitMaxMs / 1000} s. ` +
          'Wait for it, or stop it and try again.',
      );
    }
    await delay(LOOK_EVERY_MS);
  }
};

/** Links a complete file into place: nobody ever sees a lock without its holder. */
const linkOwn = async (path: string): Promise<boolean> => {
  const complete = `${path}.${randomUUID()}`;
  await writeFile(complete, JSON.stringify(identityOf(process.pid)), { mode: 0o644 });
  try {
    await link(complete, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(complete, { force: true });
  }
};

const holderOf = async (path: string): Promise<ProcessIdentity | undefined> => {
  const text = await readIfPresent(path);
  return text === undefined ? undefined : (JSON.parse(text) as ProcessIdentity);
};

/**
 * Removes a dead process's lock. Of two that saw it dead, the slower one must not remove what the
 * faster one has taken meanwhile: they do it one at a time, and look again first.
 */
const removeDead = async (path: string, dead: ProcessIdentity): Promise<void> => {
  const turn = `${path}.turn`;
  if (!(await linkOwn(turn))) {
    const other = await holderOf(turn);
    if (other !== undefined && !isAlive(other)) await rm(turn, { force: true });
    await delay(LOOK_EVERY_MS);
    return;
  }
  try {
    const holder = await holderOf(path);
    if (holder?.pid === dead.pid && holder.startedAt === dead.startedAt) {
      await rm(path, { force: true });
    }
  } finally {
    await rm(turn, { force: true });
  }
};
