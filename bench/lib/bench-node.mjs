import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES, flagsOf } from '#local-stack';

/** The agent of the benchmarks, whose work is none. */
export const AGENT = 'no-op';

/** The node of the benchmarks, as the stack has to know it. @type {import('#local-stack').LocalNode} */
export const BENCH_NODE = {
  id: 'bench',
  name: 'bench',
  workspace: 'main',
  capabilities: [],
  capacity: 0,
  maxRuns: 64,
  // Never started: the node of the benchmarks replaces all programs.
  agents: [{ name: AGENT, runtime: 'cli', argv: ['/bin/true', '{prompt}'], promptBy: 'argument' }],
};

const PROGRAM = new URL('no-op-node.mjs', import.meta.url).pathname;
/** What a stack tells Node.js before a node-agent. */
const FLAGS = SERVICES.filter(({ name }) => name === 'node-agent').flatMap(flagsOf);
const READY_MAX_MS = 60_000;

/** A node-agent in a process of its own, whose work can be held. */
export class BenchNode {
  /** @param {import('node:child_process').ChildProcess} child @param {string} ledgerFile */
  constructor(child, ledgerFile) {
    this.child = child;
    this.ledgerFile = ledgerFile;
  }

  /**
   * Starts it, and waits until it has joined.
   *
   * @param {string} folder where its journal lies: on the disk that is measured.
   * @param {string} natsUrl with the rights of this node.
   */
  static async start(folder, natsUrl) {
    await mkdir(join(folder, 'run'), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, 'node.json'), JSON.stringify(BENCH_NODE));
    const ledgerFile = join(folder, 'ledger');
    const child = spawn(process.execPath, [...FLAGS, PROGRAM, ledgerFile], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOLDFAST_HOME: folder,
        HOLDFAST_PROCESS_NAME: 'node-agent',
        HOLDFAST_METRICS_PORT: '0',
        HOLDFAST_NODE_CONFIG: join(folder, 'node.json'),
        HOLDFAST_NODE_DATA: join(folder, 'data'),
        LOG_LEVEL: 'warn',
        NATS_URL: natsUrl,
      },
    });
    await isReady(child, join(folder, 'run', 'node-agent.port'));
    return new BenchNode(child, ledgerFile);
  }

  /** Every run whose work has begun since the start, in that order; one that began twice is there twice. */
  async begun() {
    const text = await readFile(this.ledgerFile, 'utf8');
    return text.split('\n').slice(0, -1);
  }

  get pid() {
    return /** @type {number} */ (this.child.pid);
  }

  /** Holds all work that begins from now on; called again, lets it go. */
  toggleWork() {
    this.child.kill('SIGUSR2');
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL'); // What it holds is thrown away.
    await ended;
  }
}

/** @param {import('node:child_process').ChildProcess} child @param {string} portFile */
const isReady = async (child, portFile) => {
  const deadline = performance.now() + READY_MAX_MS;
  let missing = 'its port';
  while (child.exitCode === null && performance.now() < deadline) {
    try {
      const port = await readFile(portFile, 'utf8');
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      if (answer.ok) return;
      missing = await answer.text();
    } catch (error) {
      missing = String(error); // It is not that far yet.
    }
    await pause(50);
  }
  child.kill('SIGKILL');
  throw new Error(`the node of the benchmarks did not join: ${missing}`);
};
