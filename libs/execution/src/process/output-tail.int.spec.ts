import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUTPUT_CHUNK_MAX_BYTES, OutputTail, sumOutput, type OutputChunk } from './output-tail.js';

let workdir: string;
const file = (): string => join(workdir, 'output');
beforeEach(async () => {
  workdir = mkdtempSync(join(tmpdir(), 'holdfast-output-'));
  await writeFile(file(), '');
});
afterEach(() => rm(workdir, { recursive: true }));

const all = async (tail: OutputTail): Promise<OutputChunk[]> => {
  const chunks: OutputChunk[] = [];
  for (let chunk = await tail.next(true); chunk; chunk = await tail.next(true)) chunks.push(chunk);
  return chunks;
};

describe('the tail of an output', () => {
  it('gives what came since, and where it began', async () => {
    const tail = new OutputTail(workdir);
    expect(await tail.next()).toBeUndefined();
    await appendFile(file(), 'one');
    expect(await tail.next()).toEqual({ offset: 0, data: Buffer.from('one') });
    expect(await tail.next()).toBeUndefined();
    await appendFile(file(), 'two');
    expect(await tail.next()).toEqual({ offset: 3, data: Buffer.from('two') });
  });

  it('begins where an earlier reader stopped', async () => {
    await appendFile(file(), 'onetwo');
    expect(await new OutputTail(workdir, 3).next()).toEqual({
      offset: 3,
      data: Buffer.from('two'),
    });
  });

  it('gives a large output in chunks of the bound, without a gap', async () => {
    const content = Buffer.alloc(3 * OUTPUT_CHUNK_MAX_BYTES + 5, 'x');
    await writeFile(file(), content);
    const chunks = await all(new OutputTail(workdir));
    expect(chunks.map(({ offset, data }) => [offset, data.length])).toEqual([
      [0, 65_536],
      [65_536, 65_536],
      [131_072, 65_536],
      [196_608, 5],
    ]);
  });

  it('does not cut a character in two', async () => {
    const tail = new OutputTail(workdir);
    const euro = Buffer.from('€');
    await appendFile(file(), Buffer.concat([Buffer.from('a'), euro.subarray(0, 2)]));
    expect(await tail.next()).toEqual({ offset: 0, data: Buffer.from('a') });
    expect(await tail.next()).toBeUndefined();
    await appendFile(file(), euro.subarray(2));
    expect(await tail.next()).toEqual({ offset: 1, data: euro });
  });

  it('gives bytes that are no text as they are', async () => {
    const bytes = Buffer.from([0xff, 0x80, 0x80, 0x80, 0x80, 0x00, 0xc3]);
    await writeFile(file(), bytes);
    const chunks = await all(new OutputTail(workdir));
    expect(Buffer.concat(chunks.map(({ data }) => data))).toEqual(bytes);
  });

  it('stops at the bound, while count and hash go on', async () => {
    await writeFile(file(), 'abcdefghij');
    const tail = new OutputTail(workdir, 0, 4);
    expect(await all(tail)).toEqual([{ offset: 0, data: Buffer.from('abcd') }]);
    expect(tail.truncated).toBe(true);
    expect(await sumOutput(workdir)).toEqual({
      bytes: 10,
      sha256: createHash('sha256').update('abcdefghij').digest('hex'),
    });
  });

  it('of exactly the bound is not truncated', async () => {
    await writeFile(file(), 'abcd');
    const tail = new OutputTail(workdir, 0, 4);
    await all(tail);
    expect(tail.truncated).toBe(false);
  });
});

describe('an output that its program removed', () => {
  it('counts as no bytes, and has no tail', async () => {
    const tail = new OutputTail(workdir);
    await appendFile(file(), 'one');
    expect(await tail.next()).toEqual({ offset: 0, data: Buffer.from('one') });
    await rm(file());
    const nothing = { bytes: 0, sha256: createHash('sha256').digest('hex') };
    expect(await tail.next(true)).toBeUndefined();
    expect(await sumOutput(workdir)).toEqual(nothing);
    await mkdir(file());
    expect(await tail.next(true)).toBeUndefined();
    expect(await sumOutput(workdir)).toEqual(nothing);
  });
});
