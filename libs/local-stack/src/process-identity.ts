import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process told apart from a later one that was given the same number.
 *
 * `startedAt` is opaque: clock ticks since boot on Linux, `ps`'s start time elsewhere. Compare for equality only.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * Who runs under a pid now; `undefined` when nobody does. A zombie counts as nobody: it holds no
 * file, port or memory, though `kill(pid, 0)` still finds it.
 */
export const identityOf = (pid: number): ProcessIdentity | undefined => {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
};

/** Whether exactly this process still runs. */
export const isAlive = (identity: ProcessIdentity): boolean =>
  identityOf(identity.pid)?.startedAt === identity.startedAt;

const fromProc = (pid: number): ProcessIdentity | undefined => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (cause) {
    if (isGone(cause)) return undefined;
    throw cause;
  }
  // The name in parentheses may hold spaces and parentheses itself; fields are counted after its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startedAt = fields[19];
  if (state === 'Z' || state === 'X' || startedAt === undefined) return undefined;
  return { pid, startedAt };
};

const fromPs = (pid: number): ProcessIdentity | undefined => {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    if (line === '' || line.startsWith('Z')) return undefined;
    return { pid, startedAt: line.replace(/^\S+\s+/, '') };
  } catch (cause) {
    // `ps` exits with 1 when it finds no such process; anything else is a broken machine.
    if ((cause as { readonly status?: number }).status === 1) return undefined;
    throw cause;
  }
};

/** ENOENT: no such process. ESRCH: it ended between open and read. */
const isGone = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH';
};
