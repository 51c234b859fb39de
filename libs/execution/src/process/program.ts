import { constants } from 'node:os';
import type { ProcessIdentity } from '../domain/index.js';

/** What is to be started behind a shim. Everything is literal: no shell reads any of it. */
export interface ProgramStart {
  /** Absolute; made here. Used once: evidence of an earlier program in it would be taken for this one's. */
  readonly workdir: string;
  /** `<run id>/<generation>`: carried by everything that the program starts. */
  readonly work: string;
  /** Each argument at most {@link ARGUMENT_MAX_BYTES}. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute and existing. Without it a folder of its own, {@link PROGRAM_FOLDER} in the work directory, made here. */
  readonly cwd?: string;
  /** Whole environment of the program; `HOLDFAST_WORK` is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Content of standard input; without it the program reads an empty one. */
  readonly stdin?: string;
  /** Written into the work directory before the start. Names without a slash. */
  readonly files?: readonly { readonly name: string; readonly content: string }[];
}

/** The two processes of a start. The program keeps the child's pid and start time: it execs. */
export interface ProgramIdentities {
  /** Leader of the group and the session. */
  readonly shim: ProcessIdentity;
  readonly child: ProcessIdentity;
}

/** How a program ended, as far as its work directory and the process table can tell. */
export type ProgramEnd =
  /** `code` as a shell gives it: 128 + n when signal n ended the program; `signal` is that reading of a code above 128. */
  | { readonly kind: 'exited'; readonly code: number; readonly signal?: string }
  /** Certainly nothing ran. `no-go`: the agent died or withdrew before `go`; `unstartable`: it could not be executed. */
  | { readonly kind: 'not-started'; readonly reason: 'no-go' | 'unstartable' }
  /** Shim and program are dead and left no exit: a kill of the group, or a reboot. What the program did is not known. */
  | { readonly kind: 'gone' };

/** Names of the files in a work directory. `SHIM_SCRIPT` writes the last five. */
export const WORK_FILES = {
  stdin: 'stdin',
  shimLog: 'shim.log',
  output: 'output',
  pids: 'pids',
  went: 'went',
  unstartable: 'unstartable',
  exit: 'exit',
} as const;

/**
 * The folder below a work directory in which a program runs that is told no other. Not the work directory itself: what clears
 * its current folder, or writes a file `exit` there, is no enemy, and must leave the evidence alone.
 */
export const PROGRAM_FOLDER = 'cwd';

/** The kernel's limit for one argument is 32 pages with the closing NUL: 131,072 − 1 bytes of text. */
export const ARGUMENT_MAX_BYTES = 131_071;

/** Why a program was not started. Nothing of it ran. */
export class ProgramNotStartable extends Error {
  override readonly name = 'ProgramNotStartable';
  readonly code = 'process.not_startable';
  constructor(
    readonly problem: 'program' | 'directory' | 'argument' | 'workdir' | 'shim',
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

const signalNames = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);

/** The end that an exit file tells of. */
export const endOfStatus = (status: number, unstartable: boolean): ProgramEnd => {
  if (unstartable) return { kind: 'not-started', reason: 'unstartable' };
  const signal = status > 128 ? signalNames.get(status - 128) : undefined;
  return { kind: 'exited', code: status, ...(signal !== undefined && { signal }) };
};

/**
 * What a program gets of the agent's own environment: where things are and how to speak, nothing secret. The agent's
 * variables name brokers, databases and their passwords, so the rest is passed only when the configuration names it.
 */
const ALWAYS_PASSED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TERM|TZ|TMPDIR)$/;

export const environmentOf = (
  own: Readonly<Record<string, string | undefined>>,
  passed: readonly string[],
  additions: Readonly<Record<string, string>>,
): Record<string, string> => {
  const names = Object.keys(own).filter((name) => ALWAYS_PASSED.test(name));
  const inherited = [...names, ...passed].flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(inherited), ...additions };
};
