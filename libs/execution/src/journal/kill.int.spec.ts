import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { ownProgram } from '#runtimes';
import { waitUntil } from '#testing';
import { JournalLocked } from './errors.js';
import { FolderLock } from './folder-lock.js';
import { wordRules, Workplace } from './journal.fixture.js';
import { openJournal } from './open-journal.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let place: Workplace;
const writers: ChildProcess[] = [];
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => {
  for (const writer of writers.splice(0)) writer.kill('SIGKILL');
  place.remove();
});

interface Writer {
  readonly said: () => readonly string[];
  kill(): Promise<void>;
}
const writer = (): Writer => {
  const [node, ...args] = ownProgram('./writer.fixture', import.meta.url);
  const process = spawn(node, [...args, place.folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  writers.push(process);
  let text = '';
  process.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  process.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
  return {
    said: () => text.split('\n').slice(0, -1), // The last line may be cut.
    kill: async () => {
      process.kill('SIGKILL');
      await once(process, 'close');
    },
  };
};

describe('a writer that is killed over and over', () => {
  it('loses nothing that was acknowledged, and repeats nothing', async () => {
    const acknowledged = new Map<string, number>();
    const ids = new Set<string>();
    for (let round = 0; round < 8; round++) {
      const running = writer();
      // Each round ends at another place of the batches: after more and more acknowledgements.
      await waitUntil('acknowledgements', () => running.said().length > 40 + 37 * round);
      await running.kill();
      const [opening = '', ...lines] = running.said();
      ids.add(opening.split(' ')[1] ?? '');
      for (const line of lines) {
        const [key = '', number = ''] = line.split(' ');
        acknowledged.set(key, Math.max(Number(number), acknowledged.get(key) ?? 0));
      }
    }
    const journal = await openJournal({ ...place.settings(), rules: wordRules });
    expect(ids).toEqual(new Set([journal.journalId]));
    expect(acknowledged.size).toBe(16);
    for (const [key, number] of acknowledged) {
      const numbers = journal.entry(key).words.map((word) => Number.parseInt(word, 10));
      expect(numbers.length).toBeGreaterThanOrEqual(number);
      expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1)); // No gap, none twice.
    }
    await journal.close();
  });
});

describe('the lock of a journal', () => {
  it('refuses a second agent while the first is alive, and names it', async () => {
    const first = writer();
    await waitUntil('the first to write', () => first.said().length > 1);
    const second = writer();
    const refusal = await waitUntil('the refusal', () =>
      second.said().find((line) => line.includes('is held by process')),
    );
    expect(refusal).toBe(
      `JournalLocked: the journal in ${place.folder} is held by process ${writers[0]?.pid}, ` +
        'which is alive: stop that agent first',
    );
  });

  it('refuses the same process as well, until it has closed', async () => {
    const journal = await openJournal(place.settings());
    await expect(openJournal(place.settings())).rejects.toBeInstanceOf(JournalLocked);
    await journal.close();
    await (await openJournal(place.settings())).close();
  });

  it('is taken over from a dead agent by exactly one of many', async () => {
    const dead = writer();
    await waitUntil('it to write', () => dead.said().length > 1);
    await dead.kill();
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => FolderLock.take(place.folder)),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of attempts)
      if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(JournalLocked);
    expect((await readdir(place.folder)).filter((name) => name.includes('lock'))).toEqual([
      'lock.2',
    ]);
  });
});
