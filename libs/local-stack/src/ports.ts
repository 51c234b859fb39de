import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * Where random ports are taken from: below the range that outgoing connections use (Linux: 32768
 * and up), or a restarting server may find its port taken by somebody's connection.
 */
const LOWEST_PORT = 20_000;
const PAST_HIGHEST_PORT = 32_000;

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
 * What a server says first when somebody connects; `undefined` when nobody answers within a second.
 * NATS servers greet with a line `INFO {…}`.
 */
export const greetingOf = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let greeting = '';
    const done = (answer: string | undefined): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => done(undefined));
    socket.once('error', () => done(undefined));
    socket.once('close', () => done(undefined));
    socket.on('data', (chunk) => {
      greeting += chunk.toString('utf8');
      const end = greeting.indexOf('\r\n');
      if (end !== -1) done(greeting.slice(0, end));
    });
  });
