import type { Problem } from '#contracts';

/** What the process says with its exit code. Scripts rely on these four. */
export const EXIT = {
  /** Done, and known to be done. */
  done: 0,
  /** The server refused, or the work failed, was stopped or given up. */
  failed: 1,
  /** Nothing was asked of the server: wrong usage, no server, or no valid token. */
  usage: 2,
  /** Something was asked for, and what became of it is not known. */
  unknown: 3,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A verb can't go on. Carries the exit code, and what the reader can do about it. */
export class VerbFailed extends Error {
  override readonly name = 'VerbFailed';
  /** What the server said, where it said something: `--json` prints it as it came. */
  readonly problem: Problem | undefined;
  /** One line each, printed below the message. */
  readonly remedies: readonly string[];
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    options: {
      readonly problem?: Problem;
      readonly remedies?: readonly string[];
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.problem = options.problem;
    this.remedies = options.remedies ?? [];
  }
}
