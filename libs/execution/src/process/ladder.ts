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
  /** The program itself: it shows no mark while it replaces itself by an exec, or when it was told to drop it. */
  readonly child?: ProcessIdentity;
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
 *
 * @param known processes that were found before: with their parent dead, nothing else may show whose they are.
 */
export const survivors = (
  { shim, work, child }: LadderTarget,
  known: ReadonlyMap<number, ProcessIdentity> = new Map(),
): readonly ProcessIdentity[] => {
  if (shim.bootId !== bootId()) return [];
  const all = runningProcesses().filter((stat) => stat.pid !== process.pid);
  const groupIsOurs = occupiesPid(shim);
  const isOurs = (stat: ProcessStat): boolean =>
    (groupIsOurs && (stat.group === shim.pid || stat.session === shim.pid)) ||
    isSame(stat, child) ||
    isSame(stat, known.get(stat.pid)) ||
    carriesWork(stat.pid, work);
  const ours = new Set(all.filter(isOurs).map((stat) => stat.pid));
  for (let before = -1; before !== ours.size;) {
    before = ours.size;
    for (const stat of all) if (ours.has(stat.parent)) ours.add(stat.pid);
  }
  return all
    .filter((stat) => ours.has(stat.pid))
    .map(({ pid, startTicks }) => ({ pid, startTicks, bootId: bootId() }));
};

/** An exec changes neither. */
const isSame = (stat: ProcessStat, other: ProcessIdentity | undefined): boolean =>
  stat.pid === other?.pid && stat.startTicks === other.startTicks;

/**
 * Stops a program and everything that it started: SIGTERM to the group and to what left it, `graceMs`, SIGKILL to both.
 *
 * No signal goes to a process whose start time is not the one that was just read, and none to a group whose leader's is
 * not the journalled one. Between that look and the signal lie microseconds; only pidfds would close them, and Node.js has none.
 */
export const stopProgram = async (
  target: LadderTarget,
  { graceMs, killWaitMs, pollMs }: LadderSettings,
): Promise<LadderResult> => {
  const pack = new Pack(target);
  if (pack.living().length === 0) return gone('none');
  pack.signal('SIGTERM');
  if (await pack.goneWithin(graceMs, pollMs)) return gone('term');
  // Again at every look: what forks while it is being killed is found by the next one.
  const deadline = performance.now() + killWaitMs;
  do {
    pack.signal('SIGKILL');
    if (await pack.goneWithin(pollMs, pollMs)) return gone('kill');
  } while (performance.now() < deadline);
  return { proof: 'none', remains: pack.living(), rung: 'kill' };
};

const gone = (rung: Rung): LadderResult => ({ proof: 'group-gone', remains: [], rung });

/** A program's processes over the time of its stop: what was seen once is followed to its end. */
class Pack {
  readonly #known = new Map<number, ProcessIdentity>();
  constructor(private readonly target: LadderTarget) {}

  living(): readonly ProcessIdentity[] {
    const found = survivors(this.target, this.#known);
    for (const identity of found) this.#known.set(identity.pid, identity);
    return found;
  }

  signal(signal: NodeJS.Signals): void {
    const { shim } = this.target;
    const living = this.living();
    const groupIsOurs = occupiesPid(shim);
    // A program that handles SIGTERM should get it once: members through their group, the others one by one.
    const outside = living.filter(({ pid }) => !groupIsOurs || statOf(pid)?.group !== shim.pid);
    if (groupIsOurs) send(-shim.pid, signal); // At once to the whole group: no member can fork in between.
    for (const identity of outside) sendTo(identity, signal);
  }

  async goneWithin(ms: number, pollMs: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    for (;;) {
      if (this.living().length === 0) return true;
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await pause(Math.min(pollMs, left));
    }
  }
}

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
