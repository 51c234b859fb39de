import { MortalProcess, type CrashPoint } from '#testing';
import type { RunId } from '#kernel';
import type { AttemptEnd } from '#runs/contract';
import {
  evolveEntries,
  NEVER_STARTED,
  noEntries,
  type Entry,
  type JournalEvent,
  type RunEntries,
  type Sighting,
} from '../domain/index.js';
import { keyOf } from './entry.records.js';
import { NodeAgent } from './node.agent.js';
import {
  NO_OUTPUT,
  NotStartable,
  type AgentPorts,
  type EndOfWork,
  type EntryJournal,
  type NodeCommands,
  type Programs,
  type Timers,
  type WaitingProgram,
} from './ports.js';

export const JOURNAL = 'journal-1';

/** `waiting` dies with its agent, as the shim's pipe closes; `never` has left that it was not told to go. */
export type ProgramState = 'waiting' | 'running' | 'exited' | 'gone' | 'never';

export interface MachineFaults {
  /** No look at a program succeeds. */
  trouble?: Error;
  /** Nothing can be started, for this reason. */
  readonly notStartable?: string;
}

/** Lets every promise that can settle do so. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
};

/** What outlives an agent on its node: journal and programs. Time stands still; timers fire when asked to. */
export abstract class Machine {
  readonly #journal = new Map<RunId, RunEntries>();
  sequence = 0;
  /** Programs by `<id>/<generation>`. */
  readonly programs = new Map<string, ProgramState>();
  /** What a program that is gone has left alive. */
  orphans: string[] = [];
  /** The runtime's own ledger: what was started with a prompt. */
  readonly received: string[] = [];
  accompanied = 0; // How often somebody began to pass a program's output on.
  told = 0; // How often the agent told of the trouble that it was given.
  notReady: readonly string[] = [];
  maxRuns = 4;
  /** What waits behind a shim leaves nothing when its agent dies, not even that it never went. */
  silentShims = false;
  readonly #endings = new Map<string, ((seen: Exclude<Sighting, 'alive'>) => void)[]>();
  #timers: (() => void)[] = [];
  #incarnations = 0;

  constructor(protected readonly faults: MachineFaults) {}

  protected abstract commands(): NodeCommands;
  /** What the configuration says of all of its agents. */
  protected abstract readonly outlivesClient: boolean;
  /** How a program ended that left no exit. */
  protected abstract endOfGone(): AttemptEnd;

  entriesOf(runId: RunId): RunEntries {
    return this.#journal.get(runId) ?? noEntries(runId);
  }

  /** The running programs end: they wrote their exit, or were killed with their shims. */
  endProgram(how: 'exited' | 'gone'): void {
    for (const [key, state] of this.programs)
      if (state === 'running') {
        this.programs.set(key, how);
        for (const tell of this.#endings.get(key) ?? []) tell(how);
      }
  }

  fireTimers(): void {
    const due = this.#timers;
    this.#timers = [];
    for (const fire of due) fire();
  }

  /** A new incarnation; what waited behind a shim of the old one is gone. */
  startAgent(point: CrashPoint | null): {
    readonly agent: NodeAgent;
    readonly life: MortalProcess;
  } {
    for (const [key, state] of this.programs) if (state === 'waiting') this.#withdraw(key);
    this.#timers = [];
    const life = new MortalProcess(point);
    const incarnation = `incarnation-${String((this.#incarnations += 1))}`;
    const agent = new NodeAgent(this.#portsOf(life), {
      self: { journalId: JOURNAL, incarnation },
      maxRuns: this.maxRuns,
      timers: this.#timersOf(life),
      receiptsLingerMs: 20,
      notReady: () => this.notReady,
      hash: (text) => text,
      onTrouble: (_key, trouble) => {
        if (trouble !== this.faults.trouble) throw trouble;
        this.told += 1;
      },
    });
    return { agent, life };
  }

  #withdraw(key: string): void {
    if (this.silentShims) this.programs.delete(key);
    else this.programs.set(key, 'never');
  }

  #timersOf(life: MortalProcess): Timers {
    return {
      after: (_ms, act) => {
        const fire = (): void => {
          if (!life.dead) act();
        };
        this.#timers.push(fire);
        return {
          cancel: () => {
            this.#timers = this.#timers.filter((other) => other !== fire);
          },
        };
      },
    };
  }

  #portsOf(life: MortalProcess): AgentPorts {
    return {
      journal: life.through(this.#entryJournal(), ['transition']),
      commands: life.through(this.commands(), ['claim', 'report', 'claimSpawn', 'reportSpawn']),
      programs: life.through(this.#programsOf(life), [
        'prepare',
        'look',
        'conclude',
        'remains',
        'stop',
      ]),
      companions: {
        accompany: () => {
          this.accompanied += 1;
          return { finish: () => undefined };
        },
      },
      clock: { now: () => 0 },
    };
  }

  #entryJournal(): EntryJournal {
    return {
      journalId: JOURNAL,
      sequenceOf: () => this.sequence,
      run: (runId) => this.entriesOf(runId),
      unreported: () =>
        [...this.#journal.values()].flatMap(({ entries }) =>
          entries.filter((entry: Entry) => !entry.reported),
        ),
      transition: <Result>(
        runId: RunId,
        decide: (run: RunEntries) => { records: readonly JournalEvent[]; result: Result },
      ): Promise<Result> => {
        const { records, result } = decide(this.entriesOf(runId));
        this.#journal.set(runId, records.reduce(evolveEntries, this.entriesOf(runId)));
        this.sequence += records.length;
        return Promise.resolve(result);
      },
    };
  }

  #programsOf(life: MortalProcess): Programs {
    return {
      traits: () => ({ outlivesClient: this.outlivesClient, timeLimitMs: null }),
      prepare: (frame) =>
        this.faults.notStartable === undefined
          ? Promise.resolve(this.#waitingProgram(keyOf(frame), frame.kind === 'initial', life))
          : Promise.reject(new NotStartable('AGENT_NOT_STARTABLE', this.faults.notStartable)),
      look: (entry) => this.#look(entry),
      watch: (entry) => ({ ended: this.#endOf(keyOf(entry)), close: () => undefined }),
      receipts: () => Promise.resolve({}),
      conclude: (entry, seen): Promise<EndOfWork> =>
        Promise.resolve({ end: this.#howEnded(entry, seen), output: NO_OUTPUT, receipts: {} }),
      remains: () => Promise.resolve([...this.orphans]),
      stop: (entry) => {
        const endedByItself = this.programs.get(keyOf(entry)) !== 'running';
        if (!endedByItself) this.programs.set(keyOf(entry), 'gone');
        this.orphans = [];
        return Promise.resolve({ remains: [], endedByItself });
      },
    };
  }

  #waitingProgram(key: string, withPrompt: boolean, life: MortalProcess): WaitingProgram {
    const identity = { pid: 4711, startTicks: 1, bootId: 'boot' };
    this.programs.set(key, 'waiting');
    return {
      shim: identity,
      child: identity,
      workDirectory: `/work/${key}`,
      cwd: `/work/${key}/cwd`,
      giveGo: () => {
        if (life.dead || this.programs.get(key) !== 'waiting') return;
        this.programs.set(key, 'running');
        if (withPrompt) this.received.push(key);
      },
      abandon: () => {
        if (this.programs.get(key) === 'waiting') this.#withdraw(key);
      },
      ended: this.#endOf(key),
      close: () => undefined,
    };
  }

  #look(entry: Entry): Promise<Sighting> {
    if (this.faults.trouble !== undefined) return Promise.reject(this.faults.trouble);
    const state = this.programs.get(keyOf(entry));
    if (state === 'running') return Promise.resolve('alive');
    return Promise.resolve(state === 'exited' || state === 'never' ? 'exited' : 'gone');
  }

  #howEnded(entry: Entry, seen: Exclude<Sighting, 'alive'>): AttemptEnd {
    if (this.programs.get(keyOf(entry)) === 'never')
      return { how: 'failed', code: NEVER_STARTED, exitCode: null };
    return seen === 'exited' ? { how: 'completed', exitCode: 0 } : this.endOfGone();
  }

  #endOf(key: string): Promise<Exclude<Sighting, 'alive'>> {
    return new Promise((resolve) => {
      const state = this.programs.get(key);
      if (state === 'exited' || state === 'gone') resolve(state);
      this.#endings.set(key, [...(this.#endings.get(key) ?? []), resolve]);
    });
  }
}
