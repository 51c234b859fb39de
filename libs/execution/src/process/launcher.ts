import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import type { ProcessIdentity } from '../domain/index.js';
import { adopt, type EndWatch, type WatchSettings } from './end-watch.js';
import { candidatesOf, isExecutable } from './executable.js';
import { identify, WORK_VARIABLE } from './process-identity.js';
import {
  ARGUMENT_MAX_BYTES,
  PROGRAM_FOLDER,
  ProgramNotStartable,
  WORK_FILES,
  type ProgramIdentities,
  type ProgramStart,
} from './program.js';
import { SHIM_SCRIPT } from './shim-script.js';

export interface LaunchSettings extends WatchSettings {
  /** How long a shim may take to announce its child. Unit: milliseconds; it needs about 5 on an idle machine. */
  readonly announceMaxMs: number;
  /** Any POSIX shell. Default: `/bin/sh`. */
  readonly shell?: string;
}

/** A program that waits behind its shim. It has not run, and won't before {@link Launched.giveGo}. */
export interface Launched extends ProgramIdentities, EndWatch {
  /**
   * Lets the program start. Call it when both identities and the decision are durable in the journal: from here on
   * the program may have acted. Once; a second call does nothing.
   */
  giveGo(): void;
  /** Withdraws: the shim ends without having started anything. After {@link giveGo} it does nothing. */
  abandon(): void;
}

/**
 * Starts a shim in its own session and process group, and waits until its child waits for `go`.
 *
 * @throws ProgramNotStartable nothing was started, and nothing of it is left running.
 */
export const launch = async (start: ProgramStart, settings: LaunchSettings): Promise<Launched> => {
  const program = { ...start, cwd: await makeFolders(start) };
  await checkProgram(program);
  const stdin = await prepareWorkdir(program);
  const shimProcess = await spawnShim(program, stdin, settings.shell ?? '/bin/sh');
  const go = shimProcess.stdio[3] as Duplex;
  go.on('error', () => undefined); // EPIPE: the shim is dead, and the end watch tells how it went.
  try {
    const childPid = await announcedPid(shimProcess, settings.announceMaxMs);
    const identities = { shim: identified(shimProcess.pid), child: identified(childPid) };
    return { ...identities, ...doorOf(go), ...adopt(identities, program.workdir, settings) };
  } catch (error) {
    go.destroy(); // End of file before the byte: the shim leaves without starting anything.
    throw error;
  } finally {
    (shimProcess.stdout as Readable).destroy();
    shimProcess.unref(); // The program is meant to outlive us; it must not hold us either.
  }
};

type ProgramInFolder = ProgramStart & { readonly cwd: string };

/** The work directory, and the program's folder where it is told no other. @returns the program's folder */
const makeFolders = async ({ workdir, cwd }: ProgramStart): Promise<string> => {
  const folder = cwd ?? join(workdir, PROGRAM_FOLDER);
  try {
    await mkdir(cwd === undefined ? folder : workdir, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw new ProgramNotStartable('workdir', `can't make ${workdir}`, { cause: error });
  }
};

const doorOf = (go: Duplex): Pick<Launched, 'giveGo' | 'abandon'> => {
  let used = false;
  const once = (act: () => void) => () => {
    if (used) return;
    used = true;
    act();
  };
  (go as unknown as { unref?: () => void }).unref?.();
  return { giveGo: once(() => go.end('\n')), abandon: once(() => go.destroy()) };
};

/** What can be known beforehand gets its own answer, instead of an exit code 127 that a program may also choose. */
const checkProgram = async ({ argv, cwd, env }: ProgramInFolder): Promise<void> => {
  const tooLong = argv.findIndex((argument) => Buffer.byteLength(argument) > ARGUMENT_MAX_BYTES);
  if (tooLong >= 0)
    throw new ProgramNotStartable(
      'argument',
      `argument ${tooLong} exceeds ${ARGUMENT_MAX_BYTES} bytes`,
    );
  if (argv.some((argument) => argument.includes('\0')))
    throw new ProgramNotStartable('argument', 'an argument contains a NUL byte');
  if (!isAbsolute(cwd) || !(await isDirectory(cwd)))
    throw new ProgramNotStartable('directory', `no such directory: ${cwd}`);
  const [name] = argv;
  for (const candidate of candidatesOf(name, cwd, env['PATH']))
    if (await isExecutable(candidate)) return;
  throw new ProgramNotStartable('program', `no such program, or not executable: ${name}`);
};

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Readable by the agent's user only: prompts and answers are in there. @returns the standard input file */
const prepareWorkdir = async ({ workdir, stdin, files = [] }: ProgramStart): Promise<string> => {
  const write = (name: string, content: string): Promise<void> =>
    writeFile(join(workdir, name), content, { mode: 0o600, flag: 'wx' });
  try {
    await write(WORK_FILES.output, '');
    for (const { name, content } of files) await write(name, content);
    if (stdin === undefined) return '/dev/null';
    await write(WORK_FILES.stdin, stdin);
    return join(workdir, WORK_FILES.stdin);
  } catch (error) {
    throw new ProgramNotStartable('workdir', `can't prepare ${workdir}`, { cause: error });
  }
};

const spawnShim = async (
  program: ProgramInFolder,
  stdin: string,
  shell: string,
): Promise<ChildProcess> => {
  const { workdir, work, argv, cwd, env } = program;
  const log = await open(join(workdir, WORK_FILES.shimLog), 'a', 0o600);
  try {
    const shim = spawn(shell, ['-c', SHIM_SCRIPT, 'holdfast-shim', workdir, stdin, ...argv], {
      cwd,
      env: { ...env, [WORK_VARIABLE]: work },
      detached: true,
      stdio: ['ignore', 'pipe', log.fd, 'pipe'],
    });
    await new Promise<void>((spawned, failed) => {
      shim.once('spawn', spawned);
      shim.once('error', failed);
    });
    return shim;
  } catch (error) {
    const tooBig = (error as NodeJS.ErrnoException).code === 'E2BIG';
    const what = tooBig ? 'arguments and environment together are too long' : "can't start a shell";
    throw new ProgramNotStartable(tooBig ? 'argument' : 'shim', what, { cause: error });
  } finally {
    await log.close();
  }
};

const announcedPid = (shim: ChildProcess, maxMs: number): Promise<number> =>
  new Promise((resolvePid, reject) => {
    const refuse = (message: string): void =>
      reject(new ProgramNotStartable('shim', `${message}; see ${WORK_FILES.shimLog}`));
    const timer = setTimeout(() => refuse(`the shim announced nothing in ${maxMs} ms`), maxMs);
    let text = '';
    shim.stdout?.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolvePid(Number.parseInt(text, 10));
    });
    shim.stdout?.once('close', () => refuse('the shim ended before it announced its child'));
    shim.once('exit', () => clearTimeout(timer));
    shim.stdout?.once('close', () => clearTimeout(timer));
  });

const identified = (pid: number | undefined): ProcessIdentity => {
  const identity = pid === undefined ? undefined : identify(pid);
  if (identity === undefined)
    throw new ProgramNotStartable('shim', 'the shim died before it could be identified');
  return identity;
};
