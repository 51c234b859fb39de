import { readFileSync, readdirSync } from 'node:fs';
import type { ProcessIdentity } from '../domain/index.js';

/** What is read of a process: a snapshot, already old when it is looked at. */
export interface ProcessStat {
  readonly pid: number;
  /** One letter; `Z` and `X` are dead, though their entry is still there and `kill(pid, 0)` succeeds. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTicks: number;
}

/** The variable that marks everything a program starts, also what leaves its group: `<run id>/<generation>`. */
export const WORK_VARIABLE = 'HOLDFAST_WORK';

let bootIdOfThisBoot: string | undefined;
export const bootId = (): string =>
  (bootIdOfThisBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());

/** Fields after the command's name; the name may hold spaces and parentheses, so the *last* `)` ends it. */
export const parseStat = (text: string): ProcessStat | undefined => {
  const end = text.lastIndexOf(')');
  if (end < 0) return undefined;
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(end + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startTicks = Number(fields[19]); // Field 22; the first after the name is field 3.
  if (!Number.isSafeInteger(pid) || state === undefined || !Number.isSafeInteger(startTicks))
    return undefined;
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTicks,
  };
};

/** ENOENT and ESRCH: it has ended. EACCES and EPERM: it is none of ours. */
const absent = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);
const readProc = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** @returns undefined when there is no such process (not even a zombie). */
export const statOf = (pid: number): ProcessStat | undefined => {
  const text = readProc(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
};

/** The identity of a process that exists now, or undefined. */
export const identify = (pid: number): ProcessIdentity | undefined => {
  const stat = statOf(pid);
  return stat && { pid, startTicks: stat.startTicks, bootId: bootId() };
};

/** Whether the entry of exactly this process still exists, be it as a zombie: its pid is not free for others. */
export const occupiesPid = ({ pid, startTicks, bootId: boot }: ProcessIdentity): boolean =>
  boot === bootId() && statOf(pid)?.startTicks === startTicks;

export const isRunning = (stat: ProcessStat): boolean => stat.state !== 'Z' && stat.state !== 'X';

/** Whether exactly this process runs. A zombie is dead: nothing of it can act, only its parent has not looked yet. */
export const isAlive = ({ pid, startTicks, bootId: boot }: ProcessIdentity): boolean => {
  if (boot !== bootId()) return false;
  const stat = statOf(pid);
  return stat?.startTicks === startTicks && isRunning(stat);
};

/** All processes that run now, zombies left out. */
export const runningProcesses = (): readonly ProcessStat[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat): stat is ProcessStat => stat !== undefined && isRunning(stat));

/** Living members of a process group. */
export const groupMembers = (group: number): readonly ProcessIdentity[] =>
  runningProcesses()
    .filter((stat) => stat.group === group)
    .map(identityOf);

/**
 * Living processes that were started with `HOLDFAST_WORK=<work>`, wherever they went since (other group, session, parent).
 *
 * Not seen: a process that dropped the variable before an exec, or that runs as a user whose environment we may not read.
 */
export const findByWork = (work: string): readonly ProcessIdentity[] =>
  runningProcesses()
    .filter((stat) => carriesWork(stat.pid, work))
    .map(identityOf);

/**
 * Living processes with any `HOLDFAST_WORK` that starts with `prefix`. For tests, which look for what was left behind; an agent
 * looks after its restart only for what its journal names.
 */
export const findAllWork = (
  prefix = '',
): readonly { readonly work: string; readonly identity: ProcessIdentity }[] =>
  runningProcesses().flatMap((stat) => {
    const work = workOf(stat.pid);
    return work?.startsWith(prefix) === true ? [{ work, identity: identityOf(stat) }] : [];
  });

export const carriesWork = (pid: number, work: string): boolean => workOf(pid) === work;

const workOf = (pid: number): string | undefined => {
  const marker = `${WORK_VARIABLE}=`;
  return readProc(`/proc/${pid}/environ`)
    ?.split('\0')
    .find((entry) => entry.startsWith(marker))
    ?.slice(marker.length);
};

const identityOf = ({ pid, startTicks }: ProcessStat): ProcessIdentity => ({
  pid,
  startTicks,
  bootId: bootId(),
});
