import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, removeLocalStack } from '#local-stack';
import { waitUntil } from '#testing';

const CHECKOUT = new URL('../', import.meta.url).pathname;
/** What runs in a stack: the seven services and the two servers. */
const PROCESSES = [
  'commands',
  'gateway',
  'nats-server',
  'node-agent',
  'postgres',
  'projector',
  'queries',
  'reconciler',
  'sagas',
];
const UP_MAX_MS = 120_000;

/** `npm start`, as a person or a script has it: through npm, with a home and a port of its own. */
class Start {
  output = '';
  private readonly npm: ChildProcess;

  constructor(
    readonly home: string,
    readonly port: number,
  ) {
    this.npm = spawn('npm', ['start'], {
      cwd: CHECKOUT,
      env: { PATH: process.env['PATH'], HOLDFAST_HOME: home, HOLDFAST_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.npm.stdout, this.npm.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  up(): Promise<true> {
    return waitUntil(
      'it is up',
      () => {
        if (this.npm.exitCode !== null) throw new Error(this.output);
        return this.output.includes('Holdfast is up');
      },
      UP_MAX_MS,
    );
  }

  /** @returns the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const ended = once(this.npm, 'exit');
    this.npm.kill(signal);
    return this.ended(ended);
  }

  async ended(exit = once(this.npm, 'exit')): Promise<number | null> {
    if (this.npm.exitCode !== null || this.npm.signalCode !== null) return this.npm.exitCode;
    const [code] = (await exit) as [number | null];
    return code;
  }

  /** The numbers in the pid files, by name; a process that is just being started again has none. */
  pids(): Readonly<Record<string, number>> {
    const written = PROCESSES.flatMap((name) => {
      const file = join(this.home, 'run', `${name}.pid`);
      const text = textIfThere(file);
      return text === undefined ? [] : [[name, Number(text)] as const];
    });
    return Object.fromEntries(written);
  }

  /** The process that supervises the others. */
  supervisor(): number {
    const lock = readFileSync(join(this.home, 'run', 'supervisor.lock'), 'utf8');
    return (JSON.parse(lock) as { readonly pid: number }).pid;
  }

  async isReady(): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${this.port}/readyz`);
    await response.arrayBuffer();
    return response.ok;
  }
}

const pidFilesIn = (home: string): readonly string[] =>
  readdirSync(join(home, 'run'))
    .filter((file) => file.endsWith('.pid'))
    .sort();

const textIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
};

/** A zombie counts as ended: its parent is not ours to wait for it. */
const isRunning = (pid: number): boolean => {
  const stat = textIfThere(`/proc/${pid}/stat`);
  return stat !== undefined && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
};

describe('npm start', () => {
  let folder: string;
  let port: number;
  let running: Start | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hf-start-'));
    port = await freePort();
  });

  afterEach(async () => {
    await running?.end('SIGTERM');
    running = undefined;
  }, UP_MAX_MS);

  afterAll(async () => {
    await removeLocalStack(join(folder, 'home'));
    await rm(folder, { recursive: true, force: true });
  }, UP_MAX_MS);

  const start = async (): Promise<Start> => {
    running = new Start(join(folder, 'home'), port);
    await running.up();
    return running;
  };

  it('brings all of it up, says how to sign in, and starts again whatever is killed', async () => {
    const stack = await start();
    expect(stack.output).toContain(`http://127.0.0.1:${port}`);
    expect(stack.output).toContain(join(folder, 'home', 'operator.token'));
    expect(await stack.isReady()).toBe(true);
    expect(pidFilesIn(stack.home)).toEqual(PROCESSES.map((name) => `${name}.pid`));

    const before = stack.pids();
    for (const name of PROCESSES) process.kill(before[name] ?? 0, 'SIGKILL');
    await waitUntil(
      'all of them to be others',
      () => {
        const after = stack.pids();
        return PROCESSES.every((name) => {
          const pid = after[name];
          return pid !== undefined && pid !== before[name] && isRunning(pid);
        });
      },
      UP_MAX_MS,
    );
    await waitUntil('it is ready', () => stack.isReady().catch(() => false), UP_MAX_MS);

    const samePort = new Start(join(folder, 'other'), port);
    expect(await samePort.ended()).toBe(1);
    expect(samePort.output).toContain(`Port ${port} is taken`);
    const sameHome = new Start(join(folder, 'home'), await freePort());
    expect(await sameHome.ended()).toBe(1);
    expect(sameHome.output).toContain(`already running in ${join(folder, 'home')}`);
    for (const { output } of [samePort, sameHome]) expect(output).not.toContain('    at ');

    const pids = stack.pids();
    expect(Object.values(pids).filter(isRunning)).toHaveLength(PROCESSES.length);
    expect(await stack.end('SIGTERM')).toBe(0);
    expect(Object.values(pids).filter(isRunning)).toEqual([]);
    expect(pidFilesIn(stack.home)).toEqual([]);
  }, 300_000);

  it('goes on where it was killed, ends what was left behind, and ends with npm', async () => {
    const token = readFileSync(join(folder, 'home', 'operator.token'), 'utf8');
    const first = await start();
    const before = first.pids();
    process.kill(first.supervisor(), 'SIGKILL');
    await first.ended();
    expect(Object.values(before).filter(isRunning)).toHaveLength(PROCESSES.length);

    const second = await start();
    expect(second.output).toContain('which an earlier start left behind');
    expect(Object.values(before).filter(isRunning)).toEqual([]);
    expect(await second.isReady()).toBe(true);
    expect(readFileSync(join(folder, 'home', 'operator.token'), 'utf8')).toBe(token);

    const pids = second.pids();
    await second.end('SIGKILL'); // Of npm, which can pass nothing on then.
    await waitUntil('all to end', () => !Object.values(pids).some(isRunning), UP_MAX_MS);
  }, 300_000);
});
