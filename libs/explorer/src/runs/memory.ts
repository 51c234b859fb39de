import { isOpen, noEntries, type Entry, type Grip, type RunEntries } from '#execution/domain';
import type { Frame } from '#contracts';
import type { RunCommand } from '#runs/domain';
import { Interner, itemAt } from '../engine/index.js';
import { JOURNALS, NODE_ID, RUN_ID, type Side } from './layout.js';

/** A generation that was dispatched at some time, also before a restore. */
export interface Dispatched {
  readonly epoch: number;
  readonly generation: number;
  readonly kind: 'initial' | 'resume';
  readonly side: Side;
  /** Somebody was told, or decided on, that it was certainly not started. */
  readonly unsent: boolean;
}

/** The memory of an agent process. */
export interface AgentMemory {
  /** `leaving`: told to end, takes no more frames. */
  readonly life: 'down' | 'up' | 'leaving';
  /** How often it was started again. */
  readonly starts: number;
  /** By generation; index 0 is generation 1. */
  readonly grips: readonly Grip[];
  readonly stops: readonly boolean[];
}

/**
 * A program of one generation under one journal. waits: behind its shim, for `go` · given: it has `go`, nothing was sent ·
 * working: the runtime works on the prompt · exited, failed: there is an exit file · dead: it is gone without one ·
 * orphaned: it is gone without one, and something that it had started is alive.
 */
export type Program =
  'none' | 'waits' | 'given' | 'working' | 'exited' | 'failed' | 'dead' | 'orphaned';

/** A commit that a restore may go back to: the fold after it, and the generations with what was concluded of them. */
export interface Past {
  readonly run: number;
  readonly frames: number;
}

/** Commands by number. A short name that says all that can differ is cheaper than the command's JSON. */
export class CommandInterner {
  readonly #commands = new Interner<RunCommand>();
  readonly #names = new Map<string, number>();

  id(command: RunCommand): number {
    return this.#commands.id(command);
  }

  named(name: string, make: () => RunCommand): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const id = this.#commands.id(make());
    this.#names.set(name, id);
    return id;
  }

  at(id: number): RunCommand {
    return this.#commands.at(id);
  }
}

/** All values that a state refers to by number. */
export class Interners {
  readonly frames = new Interner<readonly Dispatched[]>();
  readonly entries = new JournalInterner();
  readonly agents = new Interner<AgentMemory>();
  readonly programs = new Interner<readonly Program[]>();
  readonly commands = new CommandInterner();
  readonly pasts = new Interner<readonly Past[]>();
  /** Reports that left too early, by their command's id. */
  readonly early = new Interner<readonly number[]>();
}

/**
 * Journals by number, without what no rule reads: reasons in words, process ids, folders. A step changes one entry, so
 * the others are known by their identity.
 */
export class JournalInterner {
  readonly #entries = new Interner<Entry>();
  readonly #known = new WeakMap<Entry, number>();
  readonly #ids = new Map<string, number>();
  readonly #journals: RunEntries[] = [];

  id(journal: RunEntries): number {
    const entries = journal.entries.map((entry) => this.#idOf(entry));
    const key = JSON.stringify({ ...journal, entries });
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#journals.length;
    this.#ids.set(key, id);
    this.#journals.push({ ...journal, entries: entries.map((entry) => this.#entries.at(entry)) });
    return id;
  }

  at(id: number): RunEntries {
    return itemAt(this.#journals, id);
  }

  #idOf(entry: Entry): number {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const id = this.#entries.id({
      ...entry,
      closedBecause: null,
      processes: null,
      workDirectory: null,
    });
    this.#known.set(entry, id);
    this.#known.set(this.#entries.at(id), id);
    return id;
  }
}

export const frameOf = (dispatched: Dispatched): Frame => ({
  workspace: 'main',
  node: NODE_ID,
  journalId: JOURNALS[dispatched.side],
  runId: RUN_ID,
  sessionId: RUN_ID,
  agent: 'agent',
  epoch: dispatched.epoch,
  generation: dispatched.generation,
  kind: dispatched.kind,
  prompt: dispatched.kind === 'initial' ? 'prompt' : null,
  thread: null,
  turn: null,
  key: RUN_ID,
});

export const freshAgent = (life: AgentMemory['life'], generations: number): AgentMemory => ({
  life,
  starts: 0,
  grips: Array<Grip>(generations).fill('none'),
  stops: Array<boolean>(generations).fill(false),
});

export const noPrograms = (generations: number): readonly Program[] =>
  Array<Program>(generations).fill('none');

export const freshEntries: RunEntries = noEntries(RUN_ID);

export const isAlive = (program: Program): boolean =>
  program === 'waits' || program === 'given' || program === 'working';
/** It has, or had, `go`: it may have sent something. */
export const wasStarted = (program: Program): boolean => program !== 'none' && program !== 'waits';
/** An entry that ended while something that its program had started was alive. */
export const hasLeftovers = ({ end }: Entry): boolean =>
  end?.end.how === 'lost' && (end.end.remains?.length ?? 0) > 0;
export const hasExit = (program: Program): boolean => program === 'exited' || program === 'failed';

/** A journal whose entries up to a generation are no longer told apart by who closed them, or how they ended. */
export const withoutWhatIsOver = (journal: RunEntries, generation: number): RunEntries => ({
  ...journal,
  entries: journal.entries.map((entry) =>
    entry.generation > generation || isOpen(entry)
      ? entry
      : entry.phase === 'closed'
        ? { ...entry, frame: null, incarnation: '', reported: true }
        : { ...entry, end: null, reported: true },
  ),
});
