import { describe, expect, it } from '@jest/globals';
import { isPublishAck } from './lossy-proxy.js';
import { ServerFrames } from './nats-frames.js';

const ack = '{"stream":"HF_EVENTS", "seq":12,"duplicate": true}';
const stream = [
  'INFO {"server_id":"x"}\r\n',
  'PING\r\n',
  `MSG _INBOX.a.1 1 ${String(ack.length)}\r\n${ack}\r\n`,
  'HMSG hf.cmd.x 2 _INBOX.reply 15 19\r\nNATS/1.0\r\nA\r\n\r\nbody\r\n',
  'MSG empty 3 0\r\n\r\n',
  "-ERR 'Permissions Violation'\r\n",
].join('');

const cut = (size: number) => {
  const frames = new ServerFrames();
  const all = Buffer.from(stream);
  const found = [];
  for (let at = 0; at < all.length; at += size)
    found.push(...frames.push(all.subarray(at, at + size)));
  return found;
};

describe("a server's byte stream", () => {
  it.each([1, 3, 17, 10_000])('is cut into messages, in whatever pieces it comes: %d', (size) => {
    const frames = cut(size);
    expect(frames.map(({ kind, subject, payload }) => [kind, subject, payload])).toStrictEqual([
      ['INFO', '', ''],
      ['PING', '', ''],
      ['MSG', '_INBOX.a.1', ack],
      ['HMSG', 'hf.cmd.x', 'body'],
      ['MSG', 'empty', ''],
      ['-ERR', '', ''],
    ]);
    expect(Buffer.concat(frames.map(({ bytes }) => bytes)).toString()).toBe(stream);
  });

  it('shows which message acknowledges a publish', () => {
    expect(cut(100).filter(isPublishAck)).toHaveLength(1);
  });
});
