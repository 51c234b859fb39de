import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { JournalCorrupt, JournalOverloaded, JournalWriteFailed } from './errors.js';
import type { FileJournal } from './file-journal.js';
import { FaultyFs, word, Workplace, type Word, type Words } from './journal.fixture.js';
import { openJournal } from './open-journal.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let place: Workplace;
let journal: FileJournal<Word, Words>;
let fs: FaultyFs;
beforeEach(async () => {
  place = new Workplace();
  fs = new FaultyFs();
  journal = await openJournal(place.settings(fs));
});
afterEach(async () => {
  await journal.close();
  place.remove();
});

const reopen = async (): Promise<FileJournal<Word, Words>> => {
  await journal.close();
  journal = await openJournal(place.settings(fs));
  return journal;
};
const words = (key: string): readonly string[] => journal.entry(key).words;

describe('a journal', () => {
  it('keeps its id, its entries and its numbers over restarts', async () => {
    const id = journal.journalId;
    expect(journal.opening).toEqual({ created: true, entries: 0, tornBytes: 0, dropped: 0 });
    await journal.append(word('a', 'one'));
    await journal.append(word('b', 'started'));
    expect((await journal.append(word('a', 'two'))).sequence).toBe(3);
    await reopen();
    expect(journal.journalId).toBe(id);
    expect(journal.opening).toEqual({ created: false, entries: 2, tornBytes: 0, dropped: 0 });
    expect([words('a'), words('b'), words('c')]).toEqual([['one', 'two'], ['started'], []]);
    expect([journal.sequenceOf('a'), journal.sequenceOf('b')]).toEqual([3, 2]);
    expect([journal.everStarted('a'), journal.everStarted('b')]).toEqual([false, true]);
    expect((await journal.append(word('c', 'three'))).sequence).toBe(4);
  });

  it('checks and writes in one step: of 50 that want to be first, one is', async () => {
    const attempts = Array.from({ length: 50 }, (_, index) =>
      journal.transition('a', ({ words: seen }) =>
        seen.length === 0
          ? { records: [word('a', `first-${index}`)], answer: 'won' }
          : { records: [], answer: 'lost' },
      ),
    );
    const answers = (await Promise.all(attempts)).map(({ answer }) => answer);
    expect(answers.filter((answer) => answer === 'won')).toHaveLength(1);
    expect(words('a')).toEqual(['first-0']);
  });

  it('writes nothing when the check throws', async () => {
    const refusal = new Error('not like this');
    const attempt = journal.transition('a', () => {
      throw refusal;
    });
    await expect(attempt).rejects.toBe(refusal);
    expect(words('a')).toEqual([]);
  });

  it('takes no record of another entry', async () => {
    const attempt = journal.transition('a', () => ({ records: [word('b', 'x')], answer: null }));
    await expect(attempt).rejects.toThrow('bug: a record of another entry');
  });

  it('shares one sync among all that wait, and answers nobody before it', async () => {
    const syncsBefore = fs.syncs;
    let open: () => void = () => undefined;
    fs.gate = new Promise((resolve) => (open = resolve));
    const answered: number[] = [];
    const appends = Array.from({ length: 100 }, async (_, index) => {
      await journal.append(word(`key-${index}`, 'x'));
      answered.push(index);
    });
    await new Promise((resolve) => setImmediate(resolve));
    const late = Array.from({ length: 100 }, (_, index) =>
      journal.append(word('late', `${index}`)),
    );
    const unanswered = journal.transition('key-0', ({ words: seen }) => ({
      records: [],
      answer: seen,
    }));
    expect(answered).toEqual([]);
    expect(words('key-0')).toEqual([]);
    open();
    await Promise.all([...appends, ...late]);
    expect((await unanswered).answer).toEqual(['x']);
    expect(fs.syncs - syncsBefore).toBe(2);
    expect(words('late')).toEqual(Array.from({ length: 100 }, (_, index) => `${index}`));
  });

  it('syncs once per append when each waits for the one before (negative control)', async () => {
    const syncsBefore = fs.syncs;
    for (let index = 0; index < 20; index++) await journal.append(word('a', `${index}`));
    expect(fs.syncs - syncsBefore).toBe(20);
  });

  it('takes no more than the disk can follow', async () => {
    let open: () => void = () => undefined;
    fs.gate = new Promise((resolve) => (open = resolve));
    const many = (of: string, length: number) =>
      Array.from({ length }, (_, index) => journal.append(word(`${of}-${index}`, 'x')));
    const first = many('a', 1);
    await new Promise((resolve) => setImmediate(resolve)); // It is with the disk now; what follows waits.
    const waiting = many('b', 10_000);
    await expect(journal.append(word('c', 'x'))).rejects.toBeInstanceOf(JournalOverloaded);
    open();
    await Promise.all([...first, ...waiting]);
    expect([words('b-9999'), words('c')]).toEqual([['x'], []]);
  });
});

describe('a disk that fails', () => {
  it('by being full acknowledges nothing, leaves the file as it was, and goes on when there is room', async () => {
    await journal.append(word('a', 'before'));
    const { size } = await stat(place.file);
    fs.fullAfterBytes = 30;
    const failed = [journal.append(word('a', 'lost')), journal.append(word('b', 'lost too'))];
    const outcomes = await Promise.allSettled(failed);
    for (const outcome of outcomes)
      expect(outcome).toEqual({
        status: 'rejected',
        reason: new JournalWriteFailed('not-written'),
      });
    expect((await stat(place.file)).size).toBe(size);
    expect([words('a'), words('b')]).toEqual([['before'], []]);
    expect((await journal.append(word('a', 'after'))).sequence).toBe(2);
    await reopen();
    expect([words('a'), words('b')]).toEqual([['before', 'after'], []]);
  });

  it('fails what was decided on a record that failed', async () => {
    let open: () => void = () => undefined;
    fs.gate = new Promise((resolve) => (open = resolve));
    const held = journal.append(word('a', 'one'));
    await new Promise((resolve) => setImmediate(resolve));
    fs.fullAfterBytes = 0;
    const second = journal.append(word('a', 'two'));
    const question = journal.transition('a', (entry) => ({ records: [], answer: entry.words }));
    open();
    await held;
    await expect(second).rejects.toMatchObject({ outcome: 'not-written' });
    await expect(question).rejects.toMatchObject({ outcome: 'not-written' });
    expect(
      (await journal.transition('a', (entry) => ({ records: [], answer: entry.words }))).answer,
    ).toEqual(['one']);
  });

  it('at a sync leaves it open what the file holds, and takes no more', async () => {
    fs.failSync = true;
    await expect(journal.append(word('a', 'perhaps'))).rejects.toMatchObject({
      outcome: 'unknown',
    });
    await expect(journal.append(word('a', 'next'))).rejects.toMatchObject({ outcome: 'unknown' });
    expect(words('a')).toEqual([]);
    await reopen();
    expect(words('a')).toEqual(['perhaps']); // It was there after all, and counts from now on.
  });

  it('at taking back a part leaves it open as well', async () => {
    fs.fullAfterBytes = 30;
    fs.failTruncate = true;
    await expect(journal.append(word('a', 'lost'))).rejects.toMatchObject({ outcome: 'unknown' });
    await reopen();
    expect(journal.opening.tornBytes).toBe(30);
    expect(words('a')).toEqual([]);
  });
});

describe('a journal that a crash left', () => {
  it('loses the torn end of its last write, and nothing else', async () => {
    await journal.append(word('a', 'one'));
    const { size } = await stat(place.file);
    await journal.append(word('a', 'two'));
    await journal.close();
    await truncate(place.file, size + 11);
    await reopen();
    expect(journal.opening.tornBytes).toBe(11);
    expect(words('a')).toEqual(['one']);
    expect((await stat(place.file)).size).toBe(size);
    await journal.append(word('a', 'again'));
    await reopen();
    expect(words('a')).toEqual(['one', 'again']);
  });

  it('is refused when more is missing, with the place', async () => {
    await journal.append(word('a', 'one'));
    const { size } = await stat(place.file);
    await journal.append(word('a', 'two'));
    await journal.append(word('a', 'three'));
    await journal.close();
    const content = await readFile(place.file);
    content[size + 25] = 0x7e;
    await writeFile(place.file, content);
    const refusal = await openJournal(place.settings()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(JournalCorrupt);
    expect((refusal as JournalCorrupt).offset).toBe(size);
  });

  it('is refused when a record stands in it twice', async () => {
    await journal.append(word('a', 'one'));
    await journal.close();
    const lines = (await readFile(place.file, 'utf8')).trimEnd().split('\n');
    await appendFile(place.file, `${lines.at(-1)}\n`);
    await expect(openJournal(place.settings())).rejects.toThrow('record numbers do not grow');
  });

  it('is refused when it is empty: it can only have been emptied', async () => {
    await journal.close();
    await truncate(place.file, 0);
    await expect(openJournal(place.settings())).rejects.toThrow('there is no header');
  });

  it('opens beside an unfinished rewrite', async () => {
    await journal.append(word('a', 'one'));
    await journal.close();
    await writeFile(`${place.folder}/journal.next`, 'half a rewri');
    await reopen();
    expect(words('a')).toEqual(['one']);
  });
});

describe('settled entries', () => {
  const fill = async (): Promise<void> => {
    for (const key of ['a', 'b', 'c']) {
      await journal.append(word(key, 'x'.repeat(2_000)));
      if (key !== 'b') await journal.append(word(key, 'started'));
      await journal.append(word(key, 'settled'));
    }
    await journal.append(word('open', 'started'));
  };

  it('are kept as long as the configuration says', async () => {
    await fill();
    place.clock.time += 100;
    await reopen();
    expect(journal.opening).toEqual({ created: false, entries: 4, tornBytes: 0, dropped: 0 });
  });

  it('are dropped after it, but for whether they were ever started', async () => {
    const id = journal.journalId;
    await fill();
    const { size } = await stat(place.file);
    place.clock.time += 101;
    await reopen();
    expect(journal.opening).toEqual({ created: false, entries: 1, tornBytes: 0, dropped: 3 });
    expect((await stat(place.file)).size).toBeLessThan(size / 5);
    for (let restart = 0; restart < 3; restart++) {
      expect(['a', 'b', 'c', 'open', 'd'].map((key) => journal.everStarted(key))).toEqual([
        true,
        false,
        true,
        true,
        false,
      ]);
      expect(journal.entry('a')).toEqual({ everStarted: true, words: [] });
      expect(words('open')).toEqual(['started']);
      expect(journal.journalId).toBe(id);
      await reopen();
    }
    expect((await journal.append(word('open', 'next'))).sequence).toBe(10);
  });

  it('are dropped before it when they take more than the configuration says, the oldest first', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const key of keys) {
      await journal.append(word(key, 'started'));
      await journal.append(word(key, 'x'.repeat(1_900)));
    }
    // Four of them may stay: those that were settled last, whenever they began.
    for (const key of [...keys.slice(1), 'a']) await journal.append(word(key, 'settled'));
    for (let index = 0; index < 8; index++) await journal.append(word('other', `${index}`));
    const kept = ['a', 'd', 'e', 'f', 'other'];
    expect([...journal.entries()].map(([key]) => key)).toEqual(kept);
    await reopen();
    expect(journal.opening).toMatchObject({ entries: 5, dropped: 2 });
    expect([...journal.entries()].map(([key]) => key)).toEqual(kept);
    expect(journal.everStarted('b')).toBe(true);
  });

  it('are dropped from the memory of an agent that runs on', async () => {
    await fill();
    place.clock.time += 101;
    for (let index = 0; index < 5; index++) await journal.append(word('other', `${index}`));
    expect([...journal.entries()].map(([key]) => key)).toEqual(['open', 'other']);
    expect(journal.everStarted('a')).toBe(true);
    await journal.append(word('a', 'late'));
    expect(journal.entry('a')).toEqual({ everStarted: true, words: ['late'] });
  });
});
