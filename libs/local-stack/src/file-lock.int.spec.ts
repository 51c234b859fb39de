import { afterEach, beforeEach, describe, it, expect } from '@jest/globals';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock, withFileLock } from './file-lock.js';
import { identityOf } from './process-identity.js';

let folder: string;
let lock: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-lock-'));
  lock = join(folder, 'deep', 'lock');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Our own number, as a process had it that ended long ago. */
const dead = { pid: process.pid, startedAt: '1' };

describe('a lock file', () => {
  it('is held by one at a time, and given back', async () => {
    const first = await tryLock(lock);
    const second = await tryLock(lock);
    expect(second).toEqual({ held: false, holder: identityOf(process.pid) });
    if (first.held) await first.release();
    expect(await tryLock(lock)).toMatchObject({ held: true });
  });

  it('lets none of 20 in at the same time as another', async () => {
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        withFileLock(lock, 30_000, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
    expect(readdirSync(join(folder, 'deep'))).toEqual([]);
  });

  it('is taken over from a dead process by exactly one of 20', async () => {
    const attempt = await tryLock(lock);
    if (attempt.held) await attempt.release();
    writeFileSync(lock, JSON.stringify(dead));
    const attempts = await Promise.all(Array.from({ length: 20 }, () => tryLock(lock)));
    expect(attempts.filter(({ held }) => held)).toHaveLength(1);
  });

  it('is given back when the work fails', async () => {
    const work = withFileLock(lock, 1_000, () => Promise.reject(new Error('broken')));
    await expect(work).rejects.toThrow('broken');
    expect(existsSync(lock)).toBe(false);
  });

  it('names its holder to those who waited in vain', async () => {
    await tryLock(lock);
    await expect(withFileLock(lock, 0, () => Promise.resolve())).rejects.toThrow(
      `has been held by process ${process.pid}`,
    );
  });
});
