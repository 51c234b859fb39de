import { randomUUID } from 'node:crypto';
import { mkdir, link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.js';

/** How often a waiter looks whether the lock is free. Source: a download takes 1 to 3 s; 20 looks at most per second is cheap. */
const LOOK_EVERY_MS = 50;

/**
 * Runs `work` while holding a lock file, so that parallel processes do it one after another.
 * A lock whose holder has died is taken over.
 *
 * @param waitMaxMs how long to wait for another holder.
 * @throws Error when the lock is still held after `waitMaxMs`; names the holder and the file.
 */
export const withFileLock = async <T>(
  path: string,
  waitMaxMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  await mkdir(dirname(path), { recursive: true });
  const deadline = Date.now() + waitMaxMs;
  while (!(await tryLock(path))) {
    const holder = await holderOf(path);
    if (holder === 'none') continue;
    if (holder === 'dead') {
      await rm(path, { force: true });
      continue;
    }
    if (Date.now() > deadline) {
      throw new Error(
        `${path} has been held by process ${holder.pid} for more than ${waitMaxMs / 1000} s. ` +
          'Wait for it, or stop it and try again.',
      );
    }
    await delay(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
};

/** Links a complete file into place: a reader never sees a lock without its holder. */
const tryLock = async (path: string): Promise<boolean> => {
  const complete = `${path}.${randomUUID()}`;
  await writeFile(complete, JSON.stringify(identityOf(process.pid)));
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

const holderOf = async (path: string): Promise<ProcessIdentity | 'dead' | 'none'> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
    throw cause;
  }
  const holder = JSON.parse(text) as ProcessIdentity;
  return isAlive(holder) ? holder : 'dead';
};
