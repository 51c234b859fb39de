import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '#testing';
import { Attempts } from '../testing/attempts.fixture.js';
import type { Behaviours } from './behaviours.js';
import type { LedgerLine } from './protocol.js';
import { resumableSampleAdapter } from './sample.adapter.js';
import { readLedger } from './server/ledger.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let attempts: Attempts;
let behaviours: Partial<Behaviours>;
const dataDir = (): string => join(attempts.folder, 'data');
const door = (): string => join(attempts.folder, 'door');
const kinds = (): readonly LedgerLine['kind'][] =>
  readLedger(join(dataDir(), 'ledger.jsonl'))
    .map(({ kind }) => kind)
    .filter((kind) => kind === 'initial' || kind === 'recovery');
const refusals = (): number =>
  readLedger(join(dataDir(), 'ledger.jsonl')).filter(({ kind }) => kind === 'refusal').length;

beforeEach(() => {
  behaviours = {};
  attempts = new Attempts(resumableSampleAdapter, () => {
    const raw = { dataDir: dataDir(), behaviours, pollMs: 20 };
    const checked = resumableSampleAdapter.validateConfig(raw);
    if (!checked.ok) throw new Error(checked.problems.join('; '));
    return checked.config;
  });
});
afterEach(() => attempts.sweep());

describe('a runtime that its driver starts itself', () => {
  it('ends with it', async () => {
    const attempt = await attempts.begin('say hello');
    expect((await attempt.end).kind).toBe('completed');
    expect(await attempt.output()).toBe('hello\n');
    await waitUntil('the end of the runtime', () => attempt.survivors() === 0);
  });

  it('@FM-02 finishes the turn of a dead driver, and is waited for at the fence', async () => {
    const first = await attempts.begin(`until ${door()}; say hello`);
    await first.until('observed');
    await first.killProgram();
    expect(first.survivors()).toBe(1);
    const second = await attempts.resume();
    await waitUntil('two looks at the fence', () => refusals() >= 2);
    await writeFile(door(), '');
    const end = await second.end;
    expect(end.kind === 'completed' && end.readBack).toBe(true);
    expect(await second.output()).toBe('hello\n');
    expect(kinds()).toEqual(['initial']);
    await waitUntil('the end of both', () => first.survivors() + second.survivors() === 0);
  });

  it('@FM-01 interrupts the turn of a dead driver, and is asked once to go on', async () => {
    behaviours = { abortWhenClientDies: 1 };
    const first = await attempts.begin(`until ${door()}; say hello`);
    await first.until('observed');
    await first.killProgram();
    await writeFile(door(), '');
    const second = await attempts.resume();
    const end = await second.end;
    expect(end.kind === 'completed' && !end.readBack).toBe(true);
    expect(kinds()).toEqual(['initial', 'recovery']);
  });

  it('@FM-05 is interrupted in order by a stop, and goes on in a later attempt', async () => {
    const first = await attempts.begin(`until ${door()}; say hello`);
    await first.until('observed');
    await first.stop();
    expect((await first.end).kind).toBe('interrupted');
    await writeFile(door(), '');
    const second = await attempts.resume();
    expect((await second.end).kind).toBe('completed');
    expect(kinds()).toEqual(['initial', 'recovery']);
  });
});
