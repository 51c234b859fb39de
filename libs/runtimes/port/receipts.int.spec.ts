import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
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
});

describe('an outcome', () => {
  it('is its text, once it is there', async () => {
    expect(await readOutcome(workdir)).toBeUndefined();
    await writeFile(join(workdir, 'outcome.json'), '{"kind":"lost"}');
    expect(await readOutcome(workdir)).toBe('{"kind":"lost"}');
  });
});
