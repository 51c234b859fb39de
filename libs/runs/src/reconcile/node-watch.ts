import { createHash } from 'node:crypto';
import type { Instant } from '#kernel';
import { openSetText, type LeaseReader, type LeaseVerdict } from '#nodes/contract';
import type { NodeSighting, OpenRun } from './run.plan.js';

interface Seen {
  readonly aliveSince: Instant | null;
  /** What lease and read model said when they began to differ as they do now. */
  readonly difference: { readonly text: string; readonly since: Instant } | null;
}

/**
 * What passes before this one saw of each node. Only a memory of one process: after a take-over it starts anew, which
 * makes findings later, never wrong.
 */
export class NodeWatch {
  #seen = new Map<string, Seen>();

  /** @param steadyMs how long a difference must last unchanged before it counts: while work comes and goes, both sides lag. */
  constructor(
    private readonly leases: LeaseReader,
    private readonly steadyMs: number,
  ) {}

  /** Judges the node of these rows. @param claimed all claimed rows of that node. */
  async look(
    { workspace, node }: Pick<OpenRun, 'workspace' | 'node'>,
    claimed: readonly OpenRun[],
    now: Instant,
  ): Promise<NodeSighting> {
    const verdict = await this.leases.judge(workspace, node);
    const key = `${workspace}/${node}`;
    const before = this.#seen.get(key) ?? { aliveSince: null, difference: null };
    const after: Seen = {
      aliveSince: aliveSince(verdict, before.aliveSince, now),
      difference: differenceOf(verdict, claimed, before.difference, now),
    };
    this.#seen.set(key, after);
    const { difference } = after;
    return {
      liveness: LIVENESS[verdict.kind],
      aliveSince: after.aliveSince,
      disagrees: difference !== null && now - difference.since >= this.steadyMs,
    };
  }

  /** Forgets nodes that no open run names any more. */
  keep(keys: ReadonlySet<string>): void {
    this.#seen = new Map([...this.#seen].filter(([key]) => keys.has(key)));
  }
}

const LIVENESS = {
  alive: 'alive',
  expired: 'silent',
  never: 'absent',
  'cannot-tell': 'unclear',
} as const;

/** What can't be told interrupts nothing: the node may have been alive all along, and nothing is concluded meanwhile. */
const aliveSince = (
  verdict: LeaseVerdict,
  before: Instant | null,
  now: Instant,
): Instant | null => {
  switch (verdict.kind) {
    case 'alive':
      return before ?? now;
    case 'cannot-tell':
      return before;
    case 'expired':
    case 'never':
      return null;
  }
};

const differenceOf = (
  verdict: LeaseVerdict,
  claimed: readonly OpenRun[],
  before: Seen['difference'],
  now: Instant,
): Seen['difference'] => {
  // A node that recovers has not said everything yet.
  if (verdict.kind !== 'alive' || verdict.lease.recovering) return null;
  const shown = createHash('sha256').update(openSetText(claimed)).digest('hex');
  if (shown === verdict.lease.openHash) return null;
  const text = `${shown} ${verdict.lease.openHash}`;
  return before?.text === text ? before : { text, since: now };
};
