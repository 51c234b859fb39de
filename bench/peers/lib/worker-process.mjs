import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('worker.mjs', import.meta.url));
/** How long a worker may take to be ready, to do what it has, and to end, ms. */
const WAIT_MAX_MS = 60_000;

/** A worker of a peer, and when it started each job. The clock is the machine's: both sides read the same one. */
export class WorkerProcess {
  /** @param {import('./peer.mjs').Peer} peer @param {string} url */
  static async start(peer, url) {
    const worker = new WorkerProcess(peer, url);
    await worker.until('to be ready', () => worker.isReady);
    return worker;
  }

  isReady = false;
  executions = 0;
  /** By number of the job, in ns. @type {Map<number, bigint>} */
  startedAt = new Map();
  /** @type {() => void} */
  changed = () => undefined;

  /** @param {import('./peer.mjs').Peer} peer @param {string} url */
  constructor(peer, url) {
    this.name = peer.name;
    this.child = fork(PROGRAM, [peer.name, url], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--no-deprecation'], // Theirs, of every round.
    });
    this.child.on('message', (/** @type {any} */ message) => {
      this.isReady ||= message.ready === true;
      for (const [, n, atNs] of message.starts ?? []) {
        this.executions += 1;
        this.startedAt.set(n, BigInt(atNs));
      }
      this.changed();
    });
    this.child.on('exit', () => this.changed());
  }

  /** @param {number} count jobs that it must have started in all. */
  async hasStarted(count) {
    await this.until(`to start ${count} jobs`, () => this.startedAt.size >= count);
  }

  async stop() {
    if (this.hasEnded) return;
    this.child.send('end');
    try {
      await this.until('to end', () => this.hasEnded, true);
    } finally {
      this.child.kill('SIGKILL');
    }
  }

  get hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** @param {string} what @param {() => boolean} condition @param {boolean} [mayEnd] */
  async until(what, condition, mayEnd = false) {
    const late = AbortSignal.timeout(WAIT_MAX_MS);
    late.addEventListener('abort', () => this.changed());
    while (!condition()) {
      if (this.hasEnded && !mayEnd) throw new Error(`the worker of ${this.name} ended by itself`);
      if (late.aborted)
        throw new Error(
          `waited ${WAIT_MAX_MS / 1_000} s in vain for the worker of ${this.name} ${what}`,
        );
      await new Promise((resolve) => {
        this.changed = () => resolve(undefined);
      });
    }
  }
}
