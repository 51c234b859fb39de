import type { Incarnation, JournalId, NodeId, WorkspaceId } from '#kernel';

/** What a node writes into its lease at each renewal. Not an event: liveness is judged, never recorded. */
export interface LeaseBody {
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
  /** True until every open journal entry is reported after a start. */
  readonly recovering: boolean;
  /** Open generations, counted and hashed ({@link hashOfOpen}): a mismatch with what the projection shows is a reason to ask. */
  readonly openCount: number;
  readonly openHash: string;
  /** Running programs, and the bound on them. */
  readonly running: number;
  readonly maxRuns: number;
  /** Frames that wait for a free place. */
  readonly waiting: number;
  /** Harnesses that it offers and that are not ready; an older node says nothing of it. */
  readonly notReady?: readonly string[];
}

/** How a node names the set of its open generations: sorted `<run>/<generation>` lines. */
export const openSetText = (
  open: readonly { readonly runId: string; readonly generation: number }[],
): string =>
  open
    .map(({ runId, generation }) => `${runId}/${String(generation)}`)
    .sort()
    .join('\n');

/** What a node's lease says, judged by the broker's clock. */
export type LeaseVerdict =
  | { readonly kind: 'alive'; readonly lease: LeaseBody; readonly ageMs: number }
  | { readonly kind: 'expired'; readonly ageMs: number }
  /** The node has never renewed a lease. */
  | { readonly kind: 'never' }
  /** Whoever judges is itself not in a position to: nothing is concluded. */
  | { readonly kind: 'cannot-tell'; readonly why: string };

/** Judges leases. Never throws: what can't be read can't be told. */
export interface LeaseReader {
  judge(workspace: WorkspaceId, node: NodeId): Promise<LeaseVerdict>;
}
export const LEASE_READER = Symbol('LeaseReader');

/** A verdict of the lease adapter, with a body as it was stored. */
interface RawVerdict {
  readonly kind: 'alive' | 'expired' | 'never' | 'cannot-tell';
  readonly body?: unknown;
  readonly ageMs?: number;
  readonly why?: string;
}

/** The verdict with the lease's body checked: a body that says nothing can't be judged by. */
export const readVerdict = (raw: RawVerdict): LeaseVerdict => {
  const { ageMs = 0 } = raw;
  switch (raw.kind) {
    case 'alive':
      return isLeaseBody(raw.body)
        ? { kind: 'alive', lease: raw.body, ageMs }
        : { kind: 'cannot-tell', why: 'the lease does not say what a lease says' };
    case 'expired':
      return { kind: 'expired', ageMs };
    case 'never':
      return { kind: 'never' };
    case 'cannot-tell':
      return { kind: 'cannot-tell', why: raw.why ?? 'it could not be judged' };
  }
};

const isLeaseBody = (body: unknown): body is LeaseBody => {
  if (typeof body !== 'object' || body === null) return false;
  const lease = body as Partial<Record<keyof LeaseBody, unknown>>;
  return (
    typeof lease.journalId === 'string' &&
    typeof lease.incarnation === 'string' &&
    typeof lease.recovering === 'boolean' &&
    typeof lease.openCount === 'number' &&
    typeof lease.openHash === 'string'
  );
};
