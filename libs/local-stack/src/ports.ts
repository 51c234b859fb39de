import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * Where random ports are taken from: below the range that outgoing connections use (Linux: 32768
 * and up), or a restarting server may find its port taken by somebody's connection.
 */
const LOWEST_PORT = 20_000;
const PAST_HIGHEST_PORT = 32_000;

/** How long one look at a server may take. Source: on loopback it answers within a millisecond; a busy machine needs more. */
const ANSWER_MAX_MS = 1_000;

/** Tries at a free port before giving up. Source: even with half of them taken, 50 misses in a row are one in 10^15. */
const TRIES = 50;

/**
 * A loopback port that nobody listened on just now.
 *
 * @throws Error when 50 random ones are all taken.
 */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(LOWEST_PORT, PAST_HIGHEST_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${LOWEST_PORT} and ${PAST_HIGHEST_PORT}`);
};

/** Whether one could listen on this loopback port now. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRINUSE' || cause.code === 'EACCES') resolve(false);
      else reject(cause);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });

/**
 * The first bytes that a server sends to somebody who connects and says `hello`; `undefined` when
 * it does not within a second, or nobody listens.
 *
 * @param isComplete whether the bytes so far are enough.
 */
export const firstAnswer = (
  port: number,
  hello: Uint8Array | undefined,
  isComplete: (bytes: Buffer) => boolean,
): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let bytes = Buffer.alloc(0);
    const done = (answer: Buffer | undefined): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MAX_MS, () => done(undefined));
    socket.once('error', () => done(undefined));
    socket.once('close', () => done(undefined));
    if (hello !== undefined) socket.write(hello);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (isComplete(bytes)) done(bytes);
    });
  });
