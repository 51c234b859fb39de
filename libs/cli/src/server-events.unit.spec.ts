import { describe, expect, it } from '@jest/globals';
import { readServerEvents, type ServerEvent } from './server-events.js';

const read = async (...pieces: readonly (string | Uint8Array)[]): Promise<ServerEvent[]> => {
  const bytes = async function* () {
    for (const piece of pieces) yield Buffer.from(piece as string);
  };
  const events: ServerEvent[] = [];
  for await (const event of readServerEvents(bytes())) events.push(event);
  return events;
};

describe('a stream of server-sent events', () => {
  const text = 'retry: 1\n\n: hello\n\nid: 1\nevent: a\ndata: x\ndata: ü\n\ndata:y\n\n';
  const events = [
    { id: '1', event: 'a', data: 'x\nü' },
    { id: '1', event: 'message', data: 'y' },
  ];

  it('is read', async () => expect(await read(text)).toEqual(events));

  it('is read the same, wherever it is cut', async () => {
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at += 1)
      expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(events);
  });

  it('is read the same with the line ends of others', async () => {
    expect(await read(text.replaceAll('\n', '\r\n'))).toEqual(events);
  });

  it('has no event that was cut off', async () => {
    expect(await read('id: 1\ndata: x\n')).toEqual([]);
  });

  it('is given up when a line never ends', async () => {
    await expect(read('x'.repeat(1_048_577))).rejects.toThrow('never ends');
  });
});
