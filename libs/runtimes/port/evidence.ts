import type { Receipt } from './receipts.js';
import type { RuntimeReferences } from './references.js';

/** How the program of an attempt ended. The same shape as the process layer's, which the port does not import. */
export type ProgramEnding =
  | { readonly kind: 'exited'; readonly code: number; readonly signal?: string }
  | { readonly kind: 'not-started'; readonly reason: 'no-go' | 'unstartable' }
  | { readonly kind: 'gone' };

/** All that is known about an attempt when its program has ended. Whether a stop was asked for is the run's matter, not evidence. */
export interface AttemptEvidence {
  readonly end: ProgramEnding;
  /** Size of the whole output. */
  readonly outputBytes: number;
  /** Text of `outcome.json`, if a driver wrote it. */
  readonly outcome?: string;
  /** Receipts of this attempt and of earlier ones of the same run, oldest first. */
  readonly receipts: readonly Receipt[];
}

export interface Exit {
  /** As a shell gives it. */
  readonly code: number;
  readonly signal?: string;
}

/** Codes of failures that are certain. Stable: shown to callers, matched on by tests. */
export type FailureCode =
  /** The program ended with another exit code than 0. */
  | 'AGENT_EXITED'
  /** The program ended without a byte of output, whatever its exit code. */
  | 'AGENT_NO_OUTPUT'
  /** There was nothing to execute. Nothing ran. */
  | 'AGENT_NOT_STARTABLE'
  /** The runtime says itself that the turn failed. */
  | 'RUNTIME_TURN_FAILED'
  /** The runtime could not be reached, and nothing was sent to it. */
  | 'RUNTIME_UNREACHABLE';

/** Why a turn that may be taken up again is not finished. */
export type InterruptionReason =
  /** The driver died without a word. */
  | 'client-died'
  /** The runtime went away after the prompt may have reached it. */
  | 'connection-lost'
  /** A resumption found nobody to ask. */
  | 'runtime-unreachable'
  /** The runtime says so. */
  | 'turn-interrupted'
  /** The node asked for it, and the runtime said that the turn has ended. */
  | 'stopped'
  /** The node asked for it, and the runtime did not answer: the turn may go on there. */
  | 'stop-unconfirmed';

/** Why nobody can know. */
export type LossReason =
  /** A single-attempt program died unseen. */
  | 'exit-not-seen'
  /** The runtime's own history does not show the prompt. */
  | 'not-in-history'
  /** Nor what asked it to go on. */
  | 'recovery-not-in-history'
  /** It finds nothing by our key, and gave us no name of its own. */
  | 'runtime-cannot-be-asked'
  | 'malformed-outcome';

/** How an attempt ended, as its adapter reads the evidence. */
export type AttemptEnd =
  | {
      readonly kind: 'completed';
      readonly exit?: Exit;
      readonly references: RuntimeReferences;
      /** Whether the answer was found finished, and nothing was sent for it in this attempt. */
      readonly readBack: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly code: FailureCode;
      readonly message: string;
      readonly exit?: Exit;
      readonly references: RuntimeReferences;
    }
  /** Class R only: the turn is not finished, or nobody saw how; a further attempt may ask the runtime. */
  | {
      readonly kind: 'interrupted';
      readonly reason: InterruptionReason;
      readonly references: RuntimeReferences;
    }
  /** It can't be known. Never taken for failed, and never a reason to send again. */
  | {
      readonly kind: 'lost';
      readonly reason: LossReason;
      readonly references: RuntimeReferences;
    }
  /** The `go` byte never arrived: certainly nothing ran. */
  | { readonly kind: 'not-started' };
