import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessIdentity } from '../domain/index.js';
import {
  carriesWork,
  bootId,
  isAlive,
  occupiesPid,
  runningProcesses,
  statOf,
  type ProcessStat,
} from './process-identity.js';

/** A program to be stopped, or whose leftovers are looked for. */
export interface LadderTarget {
  /** The shim: its pid is the group and the session. */
  readonly shim: ProcessIdentity;
  /** Marks what left the group: `<run id>/<generation>`. */
  readonly work: string;
}

export interface LadderSettings {
  /** From SIGTERM to SIGKILL. Unit: milliseconds; 0 to 600,000, from the node's configuration. */
  readonly graceMs: number;
  /** From SIGKILL to giving up on what can't be killed (uninterruptible input or output). Unit: milliseconds; 100 to 60,000. */
  readonly killWaitMs: number;
  /** How often the process table is looked at. Unit: milliseconds; 5 to 1,000. */
  readonly pollMs: number;
}

/** `group-gone`: nothing that the program started, as far as it can be known, is alive. */
export type LadderResult =
  | {
      readonly proof: 'group-gone';
      readonly remains: readonly [];
      /** The last rung used; `none` when nothing lived to begin with. */
      readonly rung: Rung;
    }
  | { readonly proof: 'none'; readonly remains: readonly ProcessIdentity[]; readonly rung: 'kill' };
export type Rung = 'none' | 'term' | 'kill';

/**
 * Everything alive that belongs to a program: its group and session, what carries its mark, and their descendants.
 *
 * A group is taken for ours while the shim's entry in the process table, be it a zombie's, proves that its pid was not given
 * to somebody else; after that only members that carry the mark are. Empty for a program of an earlier boot.
 */
export const survivors = ({ shim, work }: LadderTarget): readonly ProcessIdentity[] => {
  if (shim.bootId !== bootId()) return [];
  const all = runningProcesses().filter((stat) => stat.pid !== process.pid);
  const groupIsOurs = occupiesPid(shim);
  const inGroup = (stat: ProcessStat): boolean =>
    groupIsOurs && (stat.group === shim.pid || stat.session === shim.pid);
  const ours = new Set(
    all.filter((stat) => inGroup(stat) || carriesWork(stat.pid, work)).map((stat) => stat.pid),
  );
  for (let before = -1; before !== ours.size;) {
    before = ours.size;
    for (const stat of all) if (ours.has(stat.parent)) ours.add(stat.pid);
  }
  return all
    .filter((stat) => ours.has(stat.pid))
    .map(({ pid, startTicks }) => ({ pid, startTicks, bootId: bootId() }));
};

/**
 * Stops a program and everything that it started: SIGTERM to the group and to what left it, `graceMs`, SIGKILL to both.
 *
 * No signal goes to a process whose start time is not the one that was just read, and none to a group whose leader's is
 * not the journalled one. Between that look and the signal lie microseconds; only pidfds would close them, and Node.js has none.
 */
export const stopProgram = async (
  target: LadderTarget,
  settings: LadderSettings,
): Promise<LadderResult> => {
  if (survivors(target).length === 0) return gone('none');
  signalAll(target, 'SIGTERM');
  if (await allGoneWithin(target, settings.graceMs, settings.pollMs)) return gone('term');
  // Again at every look: what forks while it is being killed is found by the next one.
  const deadline = performance.now() + settings.killWaitMs;
  do {
    signalAll(target, 'SIGKILL');
    if (await allGoneWithin(target, settings.pollMs, settings.pollMs)) return gone('kill');
  } while (performance.now() < deadline);
  return { proof: 'none', remains: survivors(target), rung: 'kill' };
};

const gone = (rung: Rung): LadderResult => ({ proof: 'group-gone', remains: [], rung });

const signalAll = (target: LadderTarget, signal: NodeJS.Signals): void => {
  if (occupiesPid(target.shim)) send(-target.shim.pid, signal); // At once to the whole group: no member can fork in between.
  for (const identity of survivors(target)) if (outside(target, identity)) sendTo(identity, signal);
};

/** The group has had its signal; a program that handles SIGTERM should not get it twice. */
const outside = ({ shim }: LadderTarget, identity: ProcessIdentity): boolean =>
  !occupiesPid(shim) || groupOf(identity.pid) !== shim.pid;

const groupOf = (pid: number): number | undefined => statOf(pid)?.group;

/** Signals exactly this process, or nobody. */
export const sendTo = (identity: ProcessIdentity, signal: NodeJS.Signals): boolean =>
  isAlive(identity) && send(identity.pid, signal);

const send = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it has just ended. EPERM: it changed its user, and will be reported as remaining.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
};

const allGoneWithin = async (
  target: LadderTarget,
  ms: number,
  pollMs: number,
): Promise<boolean> => {
  const deadline = performance.now() + ms;
  for (;;) {
    if (survivors(target).length === 0) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await pause(Math.min(pollMs, left));
  }
};
