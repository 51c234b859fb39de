import { describe, expect, it } from '@jest/globals';
import { readEvents, type ServerEvent } from './server-events.js';

async function* texts(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}
const read = async (...pieces: readonly string[]): Promise<readonly ServerEvent[]> => {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(texts(...pieces))) events.push(event);
  return events;
};

describe('a stream of server-sent events', () => {
  const text =
    'retry: 1000\n\nid: 7\nevent: ready\ndata: {}\n\n: still here\n\nevent: change\ndata: {"kind":"run"}\n\n';
  const events: readonly ServerEvent[] = [
    { id: '7', type: 'ready', data: '{}' },
    { id: null, type: 'change', data: '{"kind":"run"}' },
  ];

  it('is read event by event; comments and times to wait are none', async () =>
    expect(await read(text)).toEqual(events));

  it('may be cut anywhere', async () => {
    for (let cut = 1; cut < text.length; cut += 1)
      expect(await read(text.slice(0, cut), text.slice(cut))).toEqual(events);
  });

  it('keeps an event to itself until it has ended', async () =>
    expect(await read('data: half of')).toEqual([]));

  it('joins the lines of data, and takes a value with or without a space before it', async () =>
    expect(await read('data: one\ndata:two\ndata\n\n')).toEqual([
      { id: null, type: 'message', data: 'one\ntwo\n' },
    ]));

  it('gives up on an event that never ends', async () => {
    const endless = async function* (): AsyncGenerator<string> {
      for (;;) yield 'data: '.padEnd(100_000, 'x');
    };
    const reading = async (): Promise<void> => {
      for await (const event of readEvents(endless())) expect(event).toBeUndefined();
    };
    await expect(reading()).rejects.toThrow('an event of the stream never ends');
  });
});
