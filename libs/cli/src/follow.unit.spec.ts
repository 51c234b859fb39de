import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '#testing';
import { RUN_ID, runView } from './cli.fixture.js';
import { waitWithOutput } from './follow.js';
import { PATIENCE, type Io } from './io.js';
import type { ServerEvent } from './server-events.js';
import type { Verb } from './verb.js';

const LAST_WORDS: readonly ServerEvent[] = [
  {
    id: '1',
    event: 'chunk',
    data: JSON.stringify({ data: Buffer.from('last words').toString('base64') }),
  },
  { id: '1', event: 'end', data: '{}' },
];

/** Follows a run that has ended, and whose output comes after that was seen; answers what was printed, in order. */
const printedOf = async (
  output: readonly ServerEvent[],
  lastOutputMs: number,
): Promise<readonly string[]> => {
  const printed: string[] = [];
  const sink = { isTerminal: false, write: (text: unknown) => void printed.push(String(text)) };
  const io: Partial<Io> = {
    out: sink,
    err: sink,
    interrupted: new AbortController().signal,
    patience: { ...PATIENCE, lastOutputMs },
  };
  let looks = 0;
  const api = {
    get() {
      looks += 1;
      return Promise.resolve(runView());
    },
    async *events() {
      await waitUntil('the end is seen', () => looks > 0);
      yield* output;
    },
  };
  await waitWithOutput({ io, api } as unknown as Verb, RUN_ID);
  return printed;
};

describe('the end of a run that is waited for', () => {
  it('is told after its last output', async () =>
    expect(await printedOf(LAST_WORDS, 60_000)).toEqual(['last words', 'completed\n']));

  it('is told without it when that does not come', async () =>
    expect(await printedOf([], 1)).toEqual(['completed\n']));
});
