/**
 * What the sample runtime speaks: JSON over HTTP on a unix socket. It imitates what real coding agents were seen to do, with
 * their traps; it is a stand-in for tests, and shares no code with Holdfast but these types.
 *
 * | request | answer |
 * |---|---|
 * | `POST /threads` | `{thread}` |
 * | `POST /threads/:t/resume` | `{thread, status}`, 409 `active_writer`, 404 `no_such_thread` |
 * | `POST /threads/:t/turns` `{clientId, prompt}` | lines of {@link TurnLine} |
 * | `GET /threads/:t/turns/:u/events` | lines of {@link TurnLine}, from the start of the answer |
 * | `POST /threads/:t/turns/:u/interrupt` | `{}`, 409 `no_active_turn` |
 * | `GET /threads/:t` | {@link ThreadView} |
 * | `GET /turns?clientId=` | `{turns: TurnView[]}`, 501 `not_supported` when it is switched off |
 * | `PUT /behaviours` | for tests: changes what the runtime does from now on |
 */
export type TurnStatus = 'running' | 'completed' | 'failed' | 'interrupted';

export interface TurnView {
  readonly thread: string;
  readonly turn: string;
  /** As the client chose it; left out when reading back by it is switched off. */
  readonly clientId?: string;
  /** A trap: a turn that runs in another process of this runtime may be shown as interrupted. */
  readonly status: TurnStatus;
  readonly answer: string;
  /** Null while it runs, and for ever when its process was killed. */
  readonly completedAt: number | null;
}

export interface ThreadView {
  readonly thread: string;
  readonly turns: readonly TurnView[];
}

export type TurnLine =
  /** The request was taken. Proves nothing: an acknowledged turn may be lost. */
  | { readonly type: 'ack'; readonly thread: string; readonly turn: string }
  /** The prompt is in the durable history. */
  | { readonly type: 'observed'; readonly thread: string; readonly turn: string }
  | { readonly type: 'delta'; readonly text: string }
  | {
      readonly type: 'end';
      readonly status: Exclude<TurnStatus, 'running'>;
      readonly answer: string;
    };

export type ErrorCode =
  | 'active_writer'
  | 'no_such_thread'
  | 'no_such_turn'
  | 'no_active_turn'
  | 'turn_active'
  | 'not_supported'
  | 'bad_request';

export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

/** What asks the runtime to go on with a turn that it interrupted itself. Never contains the initial prompt. */
export const RECOVERY_PROMPT = 'Your last turn was interrupted. Please go on where you stopped.';

/** One line of the ledger: on the disk before the first byte of an answer. */
export interface LedgerLine {
  /** Counts over the life of the file. */
  readonly n: number;
  /** `refusal`: something was not done because another process works in the thread. */
  readonly kind: 'initial' | 'recovery' | 'readback' | 'interrupt' | 'refusal';
  readonly thread: string | null;
  readonly turn: string | null;
  readonly clientId: string | null;
  /** SHA-256 of the prompt, hexadecimal; null when none came. */
  readonly prompt: string | null;
  /** The prompt was put into a turn that was running already. */
  readonly steered: boolean;
  readonly at: number;
  /** The runtime's own process. */
  readonly pid: number;
}
