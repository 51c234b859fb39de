import type { Frame } from '#contracts';
import type { Epoch, Incarnation, Instant, RunId } from '#kernel';
import type { AttemptEnd, OutputSummary, Receipts } from '#runs/contract';
import type {
  EntryEvent,
  EntryKey,
  JournalEvent,
  ProcessIdentity,
  WorkKind,
} from './entry.events.js';

/** How far an entry got, by its journal: what survives the agent. */
export type EntryPhase = 'taken' | 'shim' | 'go' | 'ended' | 'closed';

export interface Entry extends EntryKey {
  readonly work: WorkKind;
  readonly phase: EntryPhase;
  /** The incarnation that took the frame: the only one that may start it. */
  readonly incarnation: Incarnation;
  /** Null when it was closed without ever having been seen. */
  readonly frame: Frame | null;
  readonly processes: { readonly shim: ProcessIdentity; readonly child: ProcessIdentity } | null;
  readonly workDirectory: string | null;
  /** In which its program works, where that is known. */
  readonly cwd: string | null;
  /** When `go` was decided: a time limit counts from here, over restarts of the agent. */
  readonly goAt: Instant | null;
  readonly end: {
    readonly end: AttemptEnd;
    readonly output: OutputSummary;
    readonly receipts: Receipts;
  } | null;
  readonly closedBecause: string | null;
  readonly reported: boolean;
}

/** The code of an end without a start: `go` was decided, and never reached the program. */
export const NEVER_STARTED = 'RUN_NEVER_STARTED';

/** What the journal holds of one run. */
export interface RunEntries {
  readonly runId: RunId;
  readonly entries: readonly Entry[];
  /** Frames of older epochs are refused. 0 = none was raised. */
  readonly epochFloor: Epoch;
  /** The program was started at least once, in any generation and any epoch. Kept for ever. */
  readonly everStarted: boolean;
}

export const noEntries = (runId: RunId): RunEntries => ({
  runId,
  entries: [],
  epochFloor: 0,
  everStarted: false,
});

export const entryOf = (run: RunEntries, generation: number): Entry | undefined =>
  run.entries.find((entry) => entry.generation === generation);

export const isOpen = (entry: Entry): boolean =>
  entry.phase !== 'ended' && entry.phase !== 'closed';

export const workOf = ({ spawn }: Frame): WorkKind => (spawn === undefined ? 'run' : 'spawn');

/** The journal's knowledge of one run after one record. */
export const evolveEntries = (run: RunEntries, event: JournalEvent): RunEntries => {
  switch (event.type) {
    case 'EpochRaised':
      return { ...run, epochFloor: Math.max(run.epochFloor, event.data.epoch) };
    case 'FrameTaken':
    case 'ShimReady':
    case 'GoDecided':
    case 'EndSeen':
    case 'EntryClosed':
    case 'EntryReported': {
      const { generation } = event.data;
      const others = run.entries.filter((entry) => entry.generation !== generation);
      const entries = [...others, evolveEntry(entryOf(run, generation), event)].sort(
        (one, other) => one.generation - other.generation,
      );
      return { ...run, entries, everStarted: run.everStarted || event.type === 'GoDecided' };
    }
  }
};

const evolveEntry = (entry: Entry | undefined, event: EntryEvent): Entry => {
  const { runId, generation } = event.data;
  const known: Entry = entry ?? {
    runId,
    generation,
    work: 'run',
    phase: 'taken',
    incarnation: '',
    frame: null,
    processes: null,
    workDirectory: null,
    cwd: null,
    goAt: null,
    end: null,
    closedBecause: null,
    reported: false,
  };
  switch (event.type) {
    case 'FrameTaken': {
      const { incarnation, frame } = event.data;
      return { ...known, work: workOf(frame), incarnation, frame };
    }
    case 'ShimReady': {
      const { shim, child, workDirectory, cwd = null } = event.data;
      return { ...known, phase: 'shim', processes: { shim, child }, workDirectory, cwd };
    }
    case 'GoDecided':
      return { ...known, phase: 'go', goAt: event.data.at };
    case 'EndSeen': {
      const { end, output, receipts } = event.data;
      // A later end (of what an earlier one had left alive) is to be reported again.
      return { ...known, phase: 'ended', end: { end, output, receipts }, reported: false };
    }
    case 'EntryClosed': {
      const { reason, incarnation, work = known.work } = event.data;
      // What was never taken is closed in the name of the incarnation whose claim is asked about.
      const holder = known.incarnation === '' ? incarnation : known.incarnation;
      return { ...known, work, phase: 'closed', closedBecause: reason, incarnation: holder };
    }
    case 'EntryReported':
      return { ...known, reported: true };
  }
};
