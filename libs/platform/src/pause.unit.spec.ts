import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { pause } from './pause.js';

const SHORT_MS = 1;
const HOUR_MS = 3_600_000;

describe('a pause', () => {
  it('leaves nothing behind on a signal that lives on', async () => {
    const { signal } = new AbortController();
    // eslint-disable-next-line holdfast/no-sleep-in-specs -- The pause itself is what is tested.
    await pause(SHORT_MS, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends at once when it is to end, and does not begin when it already is', async () => {
    const ending = new AbortController();
    const paused = pause(HOUR_MS, ending.signal);
    ending.abort();
    await expect(paused).resolves.toBeUndefined();
    await expect(pause(HOUR_MS, ending.signal)).resolves.toBeUndefined();
  });
});
