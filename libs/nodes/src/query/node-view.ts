import type { NodeView, SlotView } from '#contracts';
import type { Instant } from '#kernel';
import type { LeaseVerdict } from '../contract/index.js';
import type { NodeRow } from '../projection/index.js';

/** A node as callers see it: what its stream says, who holds its places, and what its lease says now. Pure. */
export const toNodeView = (
  row: NodeRow,
  slots: readonly SlotView[],
  verdict: LeaseVerdict,
  now: Instant,
): NodeView => {
  const lease = verdict.kind === 'alive' ? verdict.lease : undefined;
  return {
    id: row.nodeId,
    name: row.name,
    membership: row.membership,
    liveness: livenessOf(verdict),
    recovering: lease?.recovering ?? false,
    lastHeardAt: lastHeardAt(verdict, now),
    capabilities: row.capabilities,
    capacity: row.capacity,
    maxRuns: row.maxRuns,
    running: lease?.running ?? 0,
    waiting: lease?.waiting ?? 0,
    agents: row.agents,
    harnesses: row.harnesses,
    notReady: lease?.notReady ?? [],
    drained: drainOf(row),
    slots,
    journalId: row.journalId,
    incarnation: row.incarnation,
    joinedAt: new Date(row.joinedAt).toISOString(),
  };
};

const drainOf = ({ drainReason, drainActor, drainedAt }: NodeRow): NodeView['drained'] =>
  drainReason === null || drainActor === null || drainedAt === null
    ? null
    : { reason: drainReason, actor: drainActor, since: new Date(drainedAt).toISOString() };

const livenessOf = ({ kind }: LeaseVerdict): NodeView['liveness'] => {
  switch (kind) {
    case 'alive':
      return 'alive';
    case 'expired':
    case 'never':
      return 'silent';
    case 'cannot-tell':
      return 'unclear';
  }
};

const lastHeardAt = (verdict: LeaseVerdict, now: Instant): string | null =>
  'ageMs' in verdict ? new Date(now - verdict.ageMs).toISOString() : null;
