import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LossyProxy } from '#testing';
import type { Fixture } from './fixture.js';

/** A service's own process, as the stack starts it, whose connection to the broker passes a proxy. */
export interface BehindProxy {
  readonly proxy: LossyProxy;
  signal(signal: NodeJS.Signals): void;
  /** Ends it by SIGKILL, and leaves it down. @returns whether it was up, and died of that. */
  kill(): Promise<boolean>;
  /** Does nothing while it is up. */
  start(): void;
  /** Kills it, and starts it again. */
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Puts a proxy between one service and the broker: ends the stack's process of it, and starts the same program with the
 * same arguments and environment, but for the address of the broker.
 *
 * The stack does not start it again when it dies; the stack's own one comes back with `startAgain`.
 */
export const putBehindProxy = async (
  fixture: Pick<Fixture, 'stack'>,
  service: string,
): Promise<BehindProxy> => {
  const pid = String(fixture.stack.pids()[service] ?? '');
  const [command = '', ...args] = await listOf(`/proc/${pid}/cmdline`);
  const entries = (await listOf(`/proc/${pid}/environ`)).map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  const env = Object.fromEntries(entries);
  const broker = new URL(env['NATS_URL'] ?? '');
  const proxy = await LossyProxy.start(broker.href);
  broker.port = new URL(proxy.url).port;
  await fixture.stack.stopOne(service);
  // Beside what the stack's own one says.
  const log = openSync(join(fixture.stack.home, 'logs', `${service}-proxied.log`), 'a');
  let child: ChildProcess | null = null;
  const start = (): void => {
    if (child !== null && isUp(child)) return;
    child = spawn(command, args, {
      env: { ...env, NATS_URL: broker.href },
      stdio: ['ignore', log, log],
    });
  };
  start();
  return {
    proxy,
    signal: (signal) => {
      child?.kill(signal);
    },
    kill: () => end(child),
    start,
    killAndRestart: async () => {
      await end(child);
      start();
    },
    close: async () => {
      await end(child);
      await proxy.close();
    },
  };
};

const listOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).split('\0').filter((part) => part !== '');

const isUp = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

/** @returns whether it was up, and died of that. */
const end = async (child: ChildProcess | null): Promise<boolean> => {
  if (child === null || !isUp(child)) return false;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  return child.signalCode === 'SIGKILL';
};
