import { describe, expect, it } from '@jest/globals';
import { JournalCorrupt } from './errors.js';
import type { JournalFile } from './journal-fs.js';
import { decodeLine, encodeLine, readLines } from './line-codec.js';

const fileOf = (content: Buffer, readAtMost = Infinity): JournalFile => ({
  size: () => Promise.resolve(content.length),
  read: (into, position) =>
    Promise.resolve(content.copy(into, 0, position, position + Math.min(into.length, readAtMost))),
  write: () => Promise.reject(new Error('not written to')),
  datasync: () => Promise.resolve(),
  truncate: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
const values = [{ a: 1 }, { text: 'ü\n"€' }, { long: 'x'.repeat(5_000) }];
const lines = values.map(encodeLine);
const whole = Buffer.concat(lines);

const read = async (
  content: Buffer,
  readAtMost?: number,
): Promise<{ found: unknown[]; end: number; torn: number }> => {
  const found: unknown[] = [];
  const { end, torn } = await readLines(fileOf(content, readAtMost), 'the-file', ({ value }) => {
    found.push(value);
  });
  return { found, end, torn };
};

describe('a line', () => {
  it.each(values)('comes back as it was: %#', (value) =>
    expect(decodeLine(encodeLine(value).subarray(0, -1))).toEqual(value),
  );

  it('with any byte changed is none', () => {
    const line = encodeLine({ some: 'content' }).subarray(0, -1);
    for (let at = 0; at < line.length; at++) {
      const changed = Buffer.from(line);
      changed[at] = (changed[at] ?? 0) ^ 0x04;
      expect(decodeLine(changed)).toBeUndefined();
    }
  });
});

describe('lines', () => {
  it.each([1, 7, 4_096])('are read in order, %i bytes at a time', async (readAtMost) =>
    expect(await read(whole, readAtMost)).toEqual({ found: values, end: whole.length, torn: 0 }),
  );

  it('cut anywhere in the last one end after the one before', async () => {
    const last = lines.at(-1)?.length ?? 0;
    const end = whole.length - last;
    for (let cut = 1; cut < last; cut += 13)
      expect(await read(whole.subarray(0, end + cut))).toEqual({
        found: values.slice(0, -1),
        end,
        torn: cut,
      });
  });

  it('followed by zeros, which a file system may leave, end before them', async () =>
    expect(await read(Buffer.concat([whole, Buffer.alloc(99)]))).toEqual({
      found: values,
      end: whole.length,
      torn: 99,
    }));

  it('with a damaged one are refused, at its offset, also when it is the last', async () => {
    for (const damagedLine of [0, 1, 2]) {
      const content = Buffer.from(whole);
      const offset = lines.slice(0, damagedLine).reduce((sum, line) => sum + line.length, 0);
      content[offset + 20] = 0x00;
      await expect(read(content)).rejects.toEqual(
        new JournalCorrupt('the-file', offset, 'length or checksum of a whole record do not fit'),
      );
    }
  });
});
