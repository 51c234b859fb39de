import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ownProgram } from '#runtimes';
import type { ServerOptions } from '../server/server-options.js';
import type { DriverOrder } from './order.js';

/** Relative to the current folder, because a path to a socket may have about 100 bytes only. */
const OWN_SOCKET = 'runtime.sock';

/**
 * Makes sure that a runtime listens.
 *
 * @returns its socket, or undefined when none could be reached in time; nothing was sent to it.
 */
export const reachRuntime = async (
  { server, connectMaxMs, pollMs }: DriverOrder,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const socket = server.kind === 'shared' ? server.socket : OWN_SOCKET;
  if (server.kind === 'own') await startOwn(server.dataDir, server.behaviours);
  const deadline = performance.now() + connectMaxMs;
  while (!(await listens(socket))) {
    if (performance.now() > deadline) return undefined;
    await pause(pollMs, undefined, { signal });
  }
  return socket;
};

/** Its standard input is a pipe from us: when we die, it learns of it. */
const startOwn = async (
  dataDir: string,
  behaviours: ServerOptions['behaviours'],
): Promise<void> => {
  const options: ServerOptions = {
    dataDir,
    socket: OWN_SOCKET,
    behaviours: behaviours ?? {},
    exitWithStdin: true,
  };
  const [node, ...args] = ownProgram('../server/server', import.meta.url);
  const server = spawn(node, [...args, JSON.stringify(options)], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await once(server, 'spawn');
  server.unref();
  (server.stdin as unknown as { unref(): void }).unref();
};

const listens = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(socket, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
