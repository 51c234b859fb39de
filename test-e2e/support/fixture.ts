import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startLocalStack,
  type LocalNode,
  type LocalStack,
  type LocalStackOptions,
  type SupervisorEvent,
} from '#local-stack';
import {
  readLedger as readTurns,
  sampleServerArgv,
  type Behaviours,
} from '#runtimes/resumable-sample';
import { waitUntil } from '#testing/wait-until';
import { Client } from './client.js';
import { initialsOf, readLedger } from './ledger.js';
import { StreamReader } from './stream.js';

/** Short, so that a death is noticed in a second; the proportions are those of the defaults. */
export const SHORT_WINDOWS = {
  leaseMs: 600,
  renewalMs: 200,
  askTimeoutMs: 200,
  askAttempts: 3,
  dispatchMs: 2_000,
  sweepMs: 100,
  strandedMs: 3_000,
  ackWaitMs: 1_000,
  workingMs: 300,
} as const;

const CHECKOUT = new URL('../../', import.meta.url).pathname;

export interface FixtureOptions extends Pick<
  LocalStackOptions,
  'replicas' | 'services' | 'checkout'
> {
  readonly windows?: Readonly<Record<string, number>>;
  readonly behaviours?: Partial<Behaviours>;
  /** Changes of the node `n1`, on which the agents are. */
  readonly node?: Partial<LocalNode>;
  /** Further configuration of the single-attempt agent. */
  readonly ledgerAgent?: Readonly<Record<string, unknown>>;
}

/** With the time of this machine's clock, ms. */
export type SeenEvent = SupervisorEvent & { readonly at: number };

/**
 * A whole system of real processes, with one node and two agents: `ledger` (single-attempt) and `turns` (resumable, whose
 * runtime is a server of its own). Both write down what they were sent, outside of everything that is killed.
 */
export class Fixture {
  /** A caller with the operator's token. */
  readonly client: Client;

  private constructor(
    readonly folder: string,
    readonly stack: LocalStack,
    readonly stream: StreamReader,
    private readonly turnsServer: TurnsServer,
    /** What the supervisor saw, and when: starts and ends of processes, with their exits. */
    readonly events: readonly SeenEvent[],
  ) {
    this.client = new Client(stack.url, stack.operatorToken);
  }

  static async start(options: FixtureOptions = {}): Promise<Fixture> {
    // A short path: it holds a unix socket.
    const folder = await mkdtemp(join(tmpdir(), 'hf-'));
    const turnsServer = new TurnsServer(folder, options.behaviours ?? {});
    await turnsServer.start();
    const events: SeenEvent[] = [];
    const stack = await startLocalStack({
      onEvent: (event) => {
        events.push({ ...event, at: Date.now() });
      },
      home: join(folder, 'home'),
      windows: options.windows ?? SHORT_WINDOWS,
      nodes: [nodeOf(folder, options)],
      logLevel: 'info',
      ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
      ...(options.services === undefined ? {} : { services: options.services }),
      ...(options.checkout === undefined ? {} : { checkout: options.checkout }),
    });
    const stream = await StreamReader.connect(stack.natsUrlFor('admin'));
    return new Fixture(folder, stack, stream, turnsServer, events);
  }

  /** How often the run's initial prompt reached its agent, over both ledgers. */
  async initials(runId: string): Promise<number> {
    const single = initialsOf(await this.ledger(), runId);
    const turns = this.turns().filter(
      ({ kind, clientId }) => kind === 'initial' && clientId === runId,
    );
    return single + turns.length;
  }

  /** Submits, and waits until the prompt reached its agent. @returns the run's id */
  async started(agent: 'ledger' | 'turns', prompt: string): Promise<string> {
    const { runId } = await this.client.submit(agent, prompt);
    await waitUntil(
      `the prompt of ${runId} to arrive`,
      async () => (await this.initials(runId)) === 1,
      30_000,
    );
    return runId;
  }

  /** A file that programs wait for, so that a test and not the clock decides when they go on. */
  gate(): { readonly path: string; open(): Promise<void> } {
    const path = join(this.folder, `gate-${randomUUID()}`);
    return { path, open: () => writeFile(path, '') };
  }

  ledger(): ReturnType<typeof readLedger> {
    return readLedger(ledgerOf(this.folder));
  }

  turns(): ReturnType<typeof readTurns> {
    return readTurns(this.turnsServer.ledger);
  }

  /** What a service says of itself on its own port, in Prometheus' format. */
  async metricsOf(service: string): Promise<string> {
    return (await this.#ask(service, 'metrics')).text();
  }

  /** Whether a service's own process says that it can do its work. */
  async isReady(service: string): Promise<boolean> {
    return (await this.#ask(service, 'readyz')).ok;
  }

  async #ask(service: string, path: 'metrics' | 'readyz'): Promise<Response> {
    const file = join(this.folder, 'home', 'run', `${service}.port`);
    const port = (await readFile(file, 'utf8')).trim();
    return fetch(`http://127.0.0.1:${port}/${path}`);
  }

  /** A counter of a service, as it stands now; 0 while it has not counted anything. */
  async counter(service: string, name: string): Promise<number> {
    const line = new RegExp(`^holdfast_${name}(?:\\{[^}]*\\})? (\\d+)`, 'm');
    return Number(line.exec(await this.metricsOf(service))?.[1] ?? 0);
  }

  get turnsRuntime(): TurnsServer {
    return this.turnsServer;
  }

  async destroy(): Promise<void> {
    await this.stream.close();
    await this.stack.destroy();
    this.turnsServer.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const ledgerOf = (folder: string): string => join(folder, 'ledger.jsonl');
const socketOf = (folder: string): string => join(folder, 'turns.sock');

const nodeOf = (folder: string, options: FixtureOptions): LocalNode => ({
  id: 'n1',
  name: 'n1',
  workspace: 'main',
  capabilities: [],
  capacity: 4,
  maxRuns: 16,
  stopGraceMs: 500,
  agents: [
    {
      name: 'ledger',
      runtime: 'cli',
      argv: [
        process.execPath,
        join(CHECKOUT, 'test-e2e/support/ledger-agent.mjs'),
        ledgerOf(folder),
        '{prompt}',
      ],
      promptBy: 'argument',
      ...options.ledgerAgent,
    },
    { name: 'turns', runtime: 'resumable-sample', socket: socketOf(folder), pollMs: 50 },
  ],
  ...options.node,
});

/** The resumable runtime's own process, which outlives every part of the system under test. */
export class TurnsServer {
  #process: ChildProcess | null = null;
  readonly ledger: string;

  constructor(
    private readonly folder: string,
    private readonly behaviours: Partial<Behaviours>,
  ) {
    this.ledger = join(folder, 'turns', 'ledger.jsonl');
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const dataDir = join(this.folder, 'turns');
    await mkdir(dataDir, { recursive: true });
    await rm(socketOf(this.folder), { force: true });
    const [command, ...args] = sampleServerArgv({
      dataDir,
      socket: socketOf(this.folder),
      behaviours: this.behaviours,
    });
    const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = server;
    await new Promise<void>((resolve, reject) => {
      server.stdout.on('data', (data: Buffer) => {
        if (data.toString().includes('ready')) resolve();
      });
      server.once('exit', (code) => {
        reject(new Error(`the turns runtime ended with ${String(code)} before it was ready`));
      });
    });
  }

  /** Changes what the runtime does from now on. */
  async behave(behaviours: Partial<Behaviours>): Promise<void> {
    const body = JSON.stringify(behaviours);
    await new Promise<void>((resolve, reject) => {
      const socketPath = socketOf(this.folder);
      const sent = request({ socketPath, method: 'PUT', path: '/behaviours' }, (response) => {
        response.resume();
        if (response.statusCode === 200) resolve();
        else reject(new Error(`the runtime answered ${String(response.statusCode)}`));
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  kill(): void {
    this.#process?.kill('SIGKILL');
  }
}
