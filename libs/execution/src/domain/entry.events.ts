import type { Frame } from '#contracts';
import type { Incarnation, Instant, RunId } from '#kernel';
import type { AttemptEnd, OutputSummary, Receipts } from '#runs/contract';

/** Names one entry of a journal: one generation of one run. */
export interface EntryKey {
  readonly runId: RunId;
  readonly generation: number;
}
/** What an entry stands for: one generation of a run, or of a spawn, whose id then stands for the run's. */
export type WorkKind = 'run' | 'spawn';

interface Base extends EntryKey {
  readonly at: Instant;
}

/** A process, told apart from any other that ever had its pid on this machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot, from `/proc/<pid>/stat`. */
  readonly startTicks: number;
  readonly bootId: string;
}

/** The frame is durable on this node; nothing is asked or started before. */
export interface FrameTaken {
  readonly type: 'FrameTaken';
  readonly data: Base & { readonly incarnation: Incarnation; readonly frame: Frame };
}
/** The shim and the program behind it wait for `go`. */
export interface ShimReady {
  readonly type: 'ShimReady';
  readonly data: Base & {
    readonly shim: ProcessIdentity;
    readonly child: ProcessIdentity;
    readonly workDirectory: string;
    /** In which the program works; an older record does not say it. */
    readonly cwd?: string;
  };
}
/** Journalled before the byte is given: without this record the program has certainly not started. */
export interface GoDecided {
  readonly type: 'GoDecided';
  readonly data: Base;
}
/** How the program ended, as this node can prove it. */
export interface EndSeen {
  readonly type: 'EndSeen';
  readonly data: Base & {
    readonly end: AttemptEnd;
    readonly output: OutputSummary;
    readonly receipts: Receipts;
  };
}
/** It was not started, and never will be. */
export interface EntryClosed {
  readonly type: 'EntryClosed';
  readonly data: Base & {
    readonly reason: string;
    readonly incarnation: Incarnation;
    /** Where no frame says it: what never came, or was refused, must be told of as what it is. A run when left out. */
    readonly work?: WorkKind;
  };
}
/** `commands` acknowledged the report of the end, or of the closing. */
export interface EntryReported {
  readonly type: 'EntryReported';
  readonly data: Base;
}
/** After a restore: frames of this run that are older than the epoch are refused for ever. */
export interface EpochRaised {
  readonly type: 'EpochRaised';
  readonly data: { readonly runId: RunId; readonly epoch: number; readonly at: Instant };
}

export type EntryEvent = FrameTaken | ShimReady | GoDecided | EndSeen | EntryClosed | EntryReported;
export type JournalEvent = EntryEvent | EpochRaised;
