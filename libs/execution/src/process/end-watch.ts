import { watch } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { readEvidence } from '#runtimes';
import { isAlive } from './process-identity.js';
import { endOfStatus, WORK_FILES, type ProgramEnd, type ProgramIdentities } from './program.js';

/** How a program that runs is watched. */
export interface WatchSettings {
  /** How often the process table is looked at. Unit: milliseconds; 10 to 5,000. A hint of the file system shortens the wait. */
  readonly pollMs: number;
}

export interface EndWatch {
  /** Settles once, when the program has ended and its shim with it. Never settles after `close`. */
  readonly ended: Promise<ProgramEnd>;
  /** Stops looking; the program goes on. */
  close(): void;
}

/** Far more than a shim writes. */
const EXIT_MAX_BYTES = 4_096;

/**
 * The end that the work directory tells of, or undefined while it tells of none. What the shim did not write tells of none:
 * the program may have been at the file, or a loss of power have emptied it.
 */
export const readEnd = async (workdir: string): Promise<ProgramEnd | undefined> => {
  const bytes = await readEvidence(join(workdir, WORK_FILES.exit), EXIT_MAX_BYTES);
  const exit = bytes && exitIn(bytes.toString('utf8'));
  if (exit === undefined) return undefined;
  if (exit === 'never') return { kind: 'not-started', reason: 'no-go' };
  return endOfStatus(exit, await exists(join(workdir, WORK_FILES.unstartable)));
};

/** The exit status, 0 to 255, or that there never was a program. */
const exitIn = (text: string): number | 'never' | undefined => {
  try {
    const exit = JSON.parse(text) as { status?: unknown; never?: unknown } | null;
    const { status, never } = exit ?? {};
    if (never === true) return status === undefined ? 'never' : undefined;
    const known = Number.isInteger(status) && Number(status) >= 0 && Number(status) <= 255;
    return known ? Number(status) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Whether the `go` byte reached the shim. False proves that the program was not started, once the shim is dead. */
export const hasGone = (workdir: string): Promise<boolean> =>
  exists(join(workdir, WORK_FILES.went));

/**
 * Adopts a program: waits for its exit file, or for the death of shim and program without one. Works for the process that
 * started it and for any later one.
 *
 * A dead shim with a living program (somebody killed just the shim) is waited for; its exit can then not be known.
 */
export const adopt = (
  { shim, child }: ProgramIdentities,
  workdir: string,
  { pollMs }: WatchSettings,
): EndWatch => {
  let closed = false;
  let wake: () => void = () => undefined;
  const hint = hintOn(workdir, () => wake());
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const look = async (): Promise<ProgramEnd> => {
    while (!closed) {
      // Liveness before the file: a shim that was dead before the file was looked for can't write it later.
      const dead = !isAlive(shim);
      const end = await readEnd(workdir);
      if (dead && end !== undefined) return end;
      if (dead && !isAlive(child)) return { kind: 'gone' };
      await pause(end === undefined ? pollMs : Math.min(pollMs, SHIM_LAST_STEP_MS));
    }
    return new Promise<never>(() => undefined);
  };
  const close = (): void => {
    closed = true;
    hint();
    wake();
  };
  return { ended: look().finally(hint), close };
};

/** Between its exit file and its own exit a shim needs far less than a millisecond; its group must be empty when we report. */
const SHIM_LAST_STEP_MS = 5;

/** Wakes on changes in a folder. Only a hint: where it can't be had, polling is enough. */
const hintOn = (folder: string, wake: () => void): (() => void) => {
  try {
    const watcher = watch(folder, (_event, name) => {
      if (name === WORK_FILES.exit) wake();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined; // No inotify watch left, or the folder is gone: the poll notices either way.
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
