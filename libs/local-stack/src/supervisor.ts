import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RunningProcess, worded, type ProcessSpec } from './child-process.js';
import { tryLock } from './file-lock.js';
import { makePrivateFolder } from './private-files.js';
import { isAlive, type ProcessIdentity } from './process-identity.js';
import { ProcessRecords, type Survivor } from './process-records.js';
import {
  SupervisedProcess,
  type Surroundings,
  type SupervisorEvent,
} from './supervised-process.js';

/** How long processes of an earlier, killed supervisor get to end. Source: as in an ordinary stop. */
const SURVIVOR_MAX_MS = 15_000;

/** How often a process is looked at that is not ours, or not new. */
const LOOK_EVERY_MS = 20;

/** Options of a start. */
export interface StartOptions {
  readonly readyMaxMs: number;
  /** Gives up waiting for readiness, and stops the process. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts processes, starts them again when they end, and ends all of them. One supervisor per home:
 * it writes `<home>/run/<name>.pid` and `<home>/logs/<name>.log`.
 */
export class Supervisor {
  private constructor(
    private readonly surroundings: Surroundings,
    private readonly release: () => Promise<void>,
  ) {
    process.on('exit', this.onExit);
  }

  /** In the order of their first start. */
  private readonly processes = new Map<string, SupervisedProcess>();
  private readonly others: (() => Promise<void>)[] = [];
  private closing: Promise<void> | undefined;
  private readonly onExit = (): void => this.signalAll('SIGTERM');

  /**
   * Takes possession of a home, and ends what a killed predecessor left running there.
   *
   * @throws Error when a living process has it.
   */
  static async open(
    home: string,
    onEvent: (event: SupervisorEvent) => void = () => undefined,
  ): Promise<Supervisor> {
    const runFolder = join(home, 'run');
    await makePrivateFolder(home);
    await makePrivateFolder(runFolder);
    const lock = await tryLock(join(runFolder, 'supervisor.lock'));
    if (!lock.held) {
      throw new Error(
        `Holdfast is already running in ${home} (process ${lock.holder.pid}). ` +
          'Stop that one first (Ctrl-C where it runs), or set HOLDFAST_HOME and HOLDFAST_PORT to start another.',
      );
    }
    try {
      const records = new ProcessRecords(runFolder);
      await endSurvivors(records.survivors(), onEvent);
      records.clear();
      return new Supervisor({ records, logFolder: join(home, 'logs'), onEvent }, lock.release);
    } catch (cause) {
      await lock.release();
      throw cause;
    }
  }

  /**
   * Starts a process and waits until it is ready; from then on it is kept running.
   *
   * @throws Error when it ends before it is ready, or is not ready in time; with the end of its log.
   */
  async start(spec: ProcessSpec, { readyMaxMs, signal }: StartOptions): Promise<void> {
    if (this.closing !== undefined) throw new Error(`${spec.name} is not started: all is stopping`);
    if (this.processes.has(spec.name)) throw new Error(`bug: ${spec.name} was started already`);
    const supervised = new SupervisedProcess(spec, this.processes.size, this.surroundings);
    this.processes.set(spec.name, supervised);
    await supervised.start(readyMaxMs, signal);
  }

  /**
   * Runs a process that ends by itself.
   *
   * @throws Error when it ends with anything but 0, or not within `maxMs`; with the end of its log.
   */
  async runOnce(spec: ProcessSpec, maxMs: number, signal?: AbortSignal): Promise<void> {
    const logFile = join(this.surroundings.logFolder, `${spec.name}.log`);
    const running = new RunningProcess(spec, logFile);
    const stop = (): void => void running.signal('SIGKILL');
    const tooLong = setTimeout(stop, maxMs);
    signal?.addEventListener('abort', stop);
    try {
      const exit = await running.exited;
      signal?.throwIfAborted();
      if (exit.code !== 0) throw new Error(running.report(`${spec.name} ${worded(exit)}`));
    } finally {
      clearTimeout(tooLong);
      signal?.removeEventListener('abort', stop);
    }
  }

  /** The numbers of the processes that are up, by name. */
  pids(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.processes].flatMap(([name, { pid }]) => (pid === undefined ? [] : [[name, pid]])),
    );
  }

  /** Sends a signal; says whether there was a process to get it. It is not told apart from anybody else's signal: what dies is started again. */
  kill(name: string, signal: NodeJS.Signals): boolean {
    return this.processNamed(name).running?.signal(signal) ?? false;
  }

  /** Waits until a process, perhaps just started again, is ready. */
  async ready(name: string, withinMs: number): Promise<void> {
    const supervised = this.processNamed(name);
    const deadline = Date.now() + withinMs;
    for (;;) {
      const missing =
        supervised.pid === undefined ? 'its start' : await supervised.spec.waitsFor?.();
      if (missing === undefined) return;
      if (Date.now() > deadline) {
        throw new Error(
          `${name} is not ready after ${withinMs / 1000} s, but waits for ${missing}`,
        );
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  /** Ends one process and leaves it down. */
  stopOne(name: string): Promise<void> {
    return this.processNamed(name).stop();
  }

  /** Starts one again that `stopOne` has ended. */
  startAgain(name: string, { readyMaxMs, signal }: StartOptions): Promise<void> {
    return this.processNamed(name).start(readyMaxMs, signal);
  }

  /** Ends all processes, the last one started first, and gives the home back. Repeatable. */
  close(): Promise<void> {
    this.closing ??= this.endAll();
    return this.closing;
  }

  /** What else is to be ended after the processes, such as a container, which is none. */
  alsoEnds(end: () => Promise<void>): void {
    this.others.push(end);
  }

  /** Sends a signal to every process at once. SIGKILL here hastens a `close` under way. */
  signalAll(signal: NodeJS.Signals): void {
    for (const { running } of this.processes.values()) running?.signal(signal);
  }

  private async endAll(): Promise<void> {
    for (const supervised of [...this.processes.values()].reverse()) await supervised.stop();
    for (const end of this.others) await end();
    process.off('exit', this.onExit);
    await this.release();
  }

  private processNamed(name: string): SupervisedProcess {
    const found = this.processes.get(name);
    if (found === undefined) throw new Error(`no process is called ${name}`);
    return found;
  }
}

/** They are not our children: whether they are gone has to be looked at. */
const endSurvivors = async (
  survivors: readonly Survivor[],
  onEvent: (event: SupervisorEvent) => void,
): Promise<void> => {
  for (const { name, identity, stopSignal } of survivors) {
    onEvent({ kind: 'left-behind', name, pid: identity.pid });
    signalSurvivor(identity.pid, stopSignal);
    signalSurvivor(identity.pid, 'SIGCONT');
    if (await goneWithin(identity, SURVIVOR_MAX_MS)) continue;
    signalSurvivor(identity.pid, 'SIGKILL');
    if (await goneWithin(identity, SURVIVOR_MAX_MS)) continue;
    throw new Error(`${name} (process ${identity.pid}) of an earlier start cannot be ended`);
  }
};

const goneWithin = async (identity: ProcessIdentity, maxMs: number): Promise<boolean> => {
  const deadline = Date.now() + maxMs;
  while (isAlive(identity)) {
    if (Date.now() > deadline) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
};

const signalSurvivor = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
};
