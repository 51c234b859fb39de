import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '#testing';

const SOURCE_LOADER = new URL('../../../libs/testing/source-loader/register.mjs', import.meta.url)
  .href;

/** A service as a process of its own, from its sources. */
export interface ServiceUnderTest {
  readonly pid: number;
  /** What it wrote to its log, and what it could not put there. */
  readonly log: () => string;
  /** Whether it has ended, and how. */
  readonly ended: () =>
    { readonly code: number | null; readonly signal: string | null } | undefined;
  /** The status of `/readyz` and what it says; undefined while it does not listen. */
  readiness(): Promise<
    { readonly status: number; readonly checks: Record<string, unknown> } | undefined
  >;
  /** What `/metrics` says. */
  metrics(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts `services/<service>/src/<program>.ts`. */
export const startService = async (
  service: string,
  environment: Readonly<Record<string, string>>,
  program = 'main',
): Promise<ServiceUnderTest> => {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-home-'));
  const file = fileURLToPath(new URL(`../../${service}/src/${program}.ts`, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--conditions=holdfast-source', '--import', SOURCE_LOADER, file],
    {
      env: { ...process.env, NODE_OPTIONS: '', HOLDFAST_HOME: home, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const get = async (path: string): Promise<Response | undefined> => {
    try {
      const port = await readFile(join(home, 'run', `${service}.port`), 'utf8');
      return await fetch(`http://127.0.0.1:${port.trim()}${path}`);
    } catch {
      return undefined; // It does not listen, yet or any more: the caller asks again.
    }
  };
  return {
    pid: child.pid!,
    log: () => log,
    ended: () => endOf(child),
    readiness: async () => {
      const response = await get('/readyz');
      if (response === undefined) return undefined;
      const { checks } = (await response.json()) as { checks: Record<string, unknown> };
      return { status: response.status, checks };
    },
    metrics: async () => (await get('/metrics'))?.text() ?? '',
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM');
      try {
        await waitUntil('the service to end', () => endOf(child), 15_000);
      } finally {
        child.kill('SIGKILL');
        await rm(home, { recursive: true, force: true });
      }
    },
  };
};

const endOf = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode === null && signalCode === null ? undefined : { code: exitCode, signal: signalCode };

/** How long a service may take to start from its sources, or to see a change, on a machine that does much else, ms. */
const READINESS_MAX_MS = 80_000;

/**
 * Waits until the service answers `/readyz` with this status.
 *
 * @throws Error with what it answered last, and the end of its log, when it does not or has ended.
 */
export const untilReadyIs = async (service: ServiceUnderTest, status: 200 | 503): Promise<void> => {
  let last: unknown;
  const answers = async (): Promise<boolean> => {
    const ended = service.ended();
    if (ended) throw new Error(`it ended (${ended.code ?? ended.signal})`);
    const now = await service.readiness();
    last = now;
    return now?.status === status;
  };
  try {
    await waitUntil(`readiness ${status}`, answers, READINESS_MAX_MS);
  } catch (cause) {
    const seen = `it answered ${JSON.stringify(last)}, and logged ${service.log().slice(-2_000)}`;
    throw new Error(`readiness is not ${status}: ${seen}`, { cause });
  }
};
