import type {
  ClaimAnswer,
  ClaimRequest,
  Frame,
  ReportAnswer,
  RunReport,
  SpawnClaimRequest,
  SpawnReport,
} from '#contracts';
import type { Clock, JournalId, RunId } from '#kernel';
import type { AttemptEnd, OutputSummary, Receipts } from '#runs/contract';
import type {
  Entry,
  JournalEvent,
  JournalIdentity,
  ProcessIdentity,
  RunEntries,
  Sighting,
} from '../domain/index.js';
import type { Places } from './places.js';

/** `no-answer` proves nothing, not even that nothing was written: the same request is sent again. */
export type CommandReply<Value> =
  | { readonly kind: 'answer'; readonly value: Value }
  /** The commands service understood, and will answer so for ever. */
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'no-answer' };

/** The commands service, as a node sees it. `trace`: the trace context in which it is told or asked. */
export interface NodeCommands {
  claim(request: ClaimRequest, trace?: string): Promise<CommandReply<ClaimAnswer>>;
  report(report: RunReport, trace?: string): Promise<CommandReply<ReportAnswer>>;
  claimSpawn(request: SpawnClaimRequest, trace?: string): Promise<CommandReply<ClaimAnswer>>;
  reportSpawn(report: SpawnReport, trace?: string): Promise<CommandReply<ReportAnswer>>;
}

/** The node's journal. One writer; check and write are one step; a step is durable before its promise settles. */
export interface EntryJournal {
  readonly journalId: JournalId;
  /** Number of the run's last durable record: names what a report covers. */
  sequenceOf(runId: RunId): number;
  run(runId: RunId): RunEntries;
  /** Every entry whose end or closing is not acknowledged yet, of all runs. */
  unreported(): readonly Entry[];
  /** Decides on what the journal holds of one run, and writes what was decided, with nothing in between. */
  transition<Result>(
    runId: RunId,
    decide: (run: RunEntries) => {
      readonly records: readonly JournalEvent[];
      readonly result: Result;
    },
  ): Promise<Result>;
}

/** How an attempt ended, with all that its node knows. */
export interface EndOfWork {
  readonly end: AttemptEnd;
  readonly output: OutputSummary;
  readonly receipts: Receipts;
}

/** A program that has been given `go`, by whichever incarnation. */
export interface WatchedProgram {
  /** Settles once, with what was seen; never after `close`. */
  readonly ended: Promise<Exclude<Sighting, 'alive'>>;
  /** Stops looking; the program goes on. */
  close(): void;
}

/** A program behind its shim: it has not run, and won't before `giveGo`. */
export interface WaitingProgram extends WatchedProgram {
  readonly shim: ProcessIdentity;
  readonly child: ProcessIdentity;
  readonly workDirectory: string;
  /** In which the program works. */
  readonly cwd: string;
  giveGo(): void;
  abandon(): void;
}

/** Starts, watches, reads and stops what entries stand for. */
export interface Programs {
  /** What the node's configuration says of what this frame starts. */
  traits(frame: Frame): { readonly outlivesClient: boolean; readonly timeLimitMs: number | null };
  /** @throws NotStartable nothing was started, nothing is left running. */
  prepare(frame: Frame): Promise<WaitingProgram>;
  /** One look, after a restart: is it alive, is its exit there, or is it gone? */
  look(entry: Entry): Promise<Sighting>;
  watch(entry: Entry): WatchedProgram;
  /** Receipts and output so far; null for an entry that never had a program. */
  receipts(entry: Entry): Promise<Receipts>;
  /** Reads the evidence of a program that has ended. */
  conclude(entry: Entry, seen: Exclude<Sighting, 'alive'>): Promise<EndOfWork>;
  /** What is alive of a program that has ended, as a report names it. */
  remains(entry: Entry): Promise<readonly string[]>;
  /** Ladder: SIGTERM to the group, grace, SIGKILL; says what could not be proven gone, and whether it had ended by itself. */
  stop(
    entry: Entry,
  ): Promise<{ readonly remains: readonly string[]; readonly endedByItself: boolean }>;
}

/** The program can't be started as configured; certainly nothing ran. */
export class NotStartable extends Error {
  override readonly name = 'NotStartable';
  constructor(
    readonly code: string,
    message: string,
    options?: { readonly cause: unknown },
  ) {
    super(message, options);
  }
}

/** What passes by the events: output, and receipts that need not wait for the end. Losing it loses no outcome. */
export interface Companions {
  /** From `go` or adoption on. `onReceipts` is called when receipts are there that were not passed on before. */
  accompany(entry: Entry, onReceipts: (receipts: Receipts) => void): { finish(): void };
}

export interface AgentPorts {
  readonly journal: EntryJournal;
  readonly commands: NodeCommands;
  readonly programs: Programs;
  readonly companions: Companions;
  readonly clock: Clock;
}

/** Who this agent is; the journal outlives it, the incarnation does not. */
export type Self = JournalIdentity;

/** How long to wait before an unanswered request is sent again, ms; grows with the count of tries. */
export const retryDelayMs = (tries: number): number =>
  Math.min(2_000, 50 * 2 ** Math.min(tries, 6));

/** An injected timer, so that tests decide when time passes. */
export interface Timers {
  after(ms: number, act: () => void): { cancel(): void };
}

/** What the workers of one agent share. */
export interface WorkerSurroundings {
  readonly ports: AgentPorts;
  readonly self: Self;
  /** The bound on how many of its kind are at work at once. */
  readonly places: Places;
  readonly timers: Timers;
  /** How long the evidence of a fast program may take to arrive in the same report as its end, ms. */
  readonly receiptsLingerMs: number;
  /** Called when a program is watched: its entry is recovered, and a shutdown may have no reason to wait for it. */
  readonly onSettled: (key: string) => void;
  /** Called when nothing is left to do for the entry. */
  readonly onDone: (key: string) => void;
  /** Something failed that a later try may mend: told, and tried again. */
  readonly onTrouble: (key: string, trouble: unknown) => void;
}

/** The output of what never ran. */
export const NO_OUTPUT: OutputSummary = {
  bytes: 0,
  // SHA-256 of nothing.
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  truncated: false,
};
