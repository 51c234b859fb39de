import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOutcome, readReceipts, type Receipt } from './receipts.js';

let workdir: string;
beforeEach(() => {
  workdir = mkdtempSync(join(tmpdir(), 'holdfast-receipts-'));
});
afterEach(() => rmSync(workdir, { recursive: true }));

const receipt = (kind: Receipt['kind']): Receipt => ({ kind, at: 1, prompt: 'initial', key: 'é' });
const file = (): string => join(workdir, 'receipts.jsonl');

describe('receipts', () => {
  it('are none where there is no file', async () =>
    expect(await readReceipts(workdir)).toEqual({ receipts: [], after: 0 }));

  it('are read from where the last look stopped, whole lines only', async () => {
    const sent = `${JSON.stringify(receipt('sent'))}\n`;
    const acked = `${JSON.stringify(receipt('acked'))}\n`;
    await writeFile(file(), sent + acked.slice(0, 10));
    const first = await readReceipts(workdir);
    expect(first).toEqual({ receipts: [receipt('sent')], after: Buffer.byteLength(sent) });
    expect(await readReceipts(workdir, first.after)).toEqual({ receipts: [], after: first.after });
    await appendFile(file(), acked.slice(10) + sent);
    expect(await readReceipts(workdir, first.after)).toEqual({
      receipts: [receipt('acked'), receipt('sent')],
      after: Buffer.byteLength(sent + acked + sent),
    });
  });

  it.each([
    '',
    'no json',
    '\0\0',
    '{"kind":"se',
    'null',
    '[]',
    '{}',
    '{"kind":"lost","at":1,"prompt":"initial","key":"k"}',
    '{"kind":"sent","at":"1","prompt":"initial","key":"k"}',
    '{"kind":"sent","at":-1,"prompt":"initial","key":"k"}',
    '{"kind":"sent","at":1,"prompt":"initial"}',
    '{"kind":"sent","at":1,"prompt":"initial","key":"k","turn":7}',
  ])('are passed over where a line is none: %j', async (line) => {
    const sent = JSON.stringify(receipt('sent'));
    await writeFile(file(), `${sent}\n${line}\n${sent}\n`);
    const { receipts, after } = await readReceipts(workdir);
    expect(receipts).toEqual([receipt('sent'), receipt('sent')]);
    expect(after).toBe(Buffer.byteLength(`${sent}\n${line}\n${sent}\n`));
  });

  it('are none where a program put something else in the place of the file', async () => {
    await mkdir(file());
    expect(await readReceipts(workdir)).toEqual({ receipts: [], after: 0 });
  });
});

describe('an outcome', () => {
  it('is none where a program put something else in the place of the file', async () => {
    await mkdir(join(workdir, 'outcome.json'));
    expect(await readOutcome(workdir)).toBeUndefined();
  });

  it('is its text, once it is there', async () => {
    expect(await readOutcome(workdir)).toBeUndefined();
    await writeFile(join(workdir, 'outcome.json'), '{"kind":"lost"}');
    expect(await readOutcome(workdir)).toBe('{"kind":"lost"}');
  });
});
