import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf, type ProcessIdentity } from './process-identity.js';

/** What to run, and how to tell that it is ready and how to end it. */
export interface ProcessSpec {
  /** Also the name of its pid and log files: letters, digits and dashes. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Another OS user to run as. Only root can. */
  readonly runAs?: OsUser;
  /** -20 to 19, as nice(1) has it; above 0 yields the processor to others. */
  readonly niceness?: number;
  /** Asked for its graceful end. Postgres wants SIGINT: SIGTERM waits for its clients to leave. */
  readonly stopSignal?: NodeJS.Signals;
  /** Runs before each start, restarts included: clears what a killed predecessor left. */
  readonly prepare?: () => Promise<void>;
  /** One look, answered within a second: what it still waits for, `undefined` when it is ready. Absent: ready once it runs. */
  readonly waitsFor?: () => Promise<string | undefined>;
}

/** An OS user by number. */
export interface OsUser {
  readonly uid: number;
  readonly gid: number;
}

/** How a process ended: a code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a graceful end may take before SIGKILL. Source: services drain for at most 10 s. */
const STOP_MAX_MS = 15_000;

/** Between two looks at readiness, at first and at most. Source: nats-server is up within 20 to 40 ms, services take seconds, and each look costs them something. */
const FIRST_LOOK_MS = 20;
const LOOK_EVERY_MS = 200;

/** A log past this size is set aside at the next start; one such file is kept. So a log takes at most twice this, plus one run's worth. */
const LOG_MAX_BYTES = 10 * 1024 * 1024;

/** One run of a process: from its spawn to its exit. It writes straight into its log file, and outlives us if we are killed. */
export class RunningProcess {
  readonly identity: ProcessIdentity;
  readonly exited: Promise<Exit>;
  /** Set once it has ended. */
  exit: Exit | undefined;

  /** @throws Error when the command cannot be run at all. */
  constructor(
    readonly spec: ProcessSpec,
    private readonly logFile: string,
  ) {
    this.child = spawnInto(spec, logFile);
    const { pid } = this.child;
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.exit = { code, signal };
        resolve(this.exit);
      });
    });
    this.child.on('error', () => undefined); // Reported below: an unspawned child has no pid.
    if (pid === undefined) {
      throw new Error(`${spec.name}: ${spec.command} cannot be run (missing, or not executable)`);
    }
    // Not yet reaped, so it is found even when it has already ended; a zombie has no identity but never lives again.
    this.identity = identityOf(pid) ?? { pid, startedAt: 'ended' };
    lowerPriority(pid, spec.niceness);
  }

  private readonly child: ChildProcess;

  /** Sends a signal; says whether it was still there to get it. */
  signal(signal: NodeJS.Signals): boolean {
    return this.exit === undefined && this.child.kill(signal);
  }

  /**
   * Waits until it is ready.
   *
   * @throws Error when it ends first, is not ready within `withinMs`, or `signal` aborts; with the last lines of its log.
   */
  async ready(withinMs: number, signal?: AbortSignal): Promise<void> {
    const { waitsFor, name } = this.spec;
    if (waitsFor === undefined) return;
    const deadline = Date.now() + withinMs;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 1.5, LOOK_EVERY_MS)) {
      signal?.throwIfAborted();
      if (this.exit !== undefined) throw new Error(this.report(`${name} ${worded(this.exit)}`));
      const missing = await waitsFor();
      if (missing === undefined) return;
      if (Date.now() > deadline) {
        const waited = `${name} is not ready after ${withinMs / 1000} s`;
        throw new Error(this.report(`${waited}, but waits for ${missing}`));
      }
      await delay(pauseMs);
    }
  }

  /** Ends it: gracefully, after 15 s by SIGKILL. Resolves when it has ended. */
  async stop(): Promise<Exit> {
    this.signal(this.spec.stopSignal ?? 'SIGTERM');
    this.signal('SIGCONT'); // A suspended process would not even see the first signal.
    const killAtLast = setTimeout(() => this.signal('SIGKILL'), STOP_MAX_MS);
    try {
      return await this.exited;
    } finally {
      clearTimeout(killAtLast);
    }
  }

  /** A sentence, and the end of the log that may explain it. */
  report(sentence: string): string {
    const tail = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-8);
    return [`${sentence}. The end of ${this.logFile}:`, ...tail.map((line) => `  ${line}`)].join(
      '\n',
    );
  }
}

/** `ended with code 1`, `was ended by SIGKILL`. */
export const worded = ({ code, signal }: Exit): string =>
  signal === null ? `ended with code ${code}` : `was ended by ${signal}`;

const spawnInto = (spec: ProcessSpec, logFile: string): ChildProcess => {
  mkdirSync(dirname(logFile), { recursive: true });
  setAsideWhenLarge(logFile);
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(spec.command, [...spec.args], {
      // A session of its own: Ctrl-C in a terminal goes to the whole group, and the order of the end is ours to choose.
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...spec.env },
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
      ...spec.runAs,
    });
  } finally {
    closeSync(log);
  }
};

const setAsideWhenLarge = (logFile: string): void => {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_MAX_BYTES) renameSync(logFile, `${logFile}.1`);
};

const lowerPriority = (pid: number, niceness: number | undefined): void => {
  if (niceness === undefined) return;
  try {
    setPriority(pid, niceness);
  } catch (cause) {
    const { info } = cause as { readonly info?: { readonly errno?: number } };
    if (info?.errno !== -constants.errno.ESRCH) throw cause; // Already ended: its exit tells.
  }
};
