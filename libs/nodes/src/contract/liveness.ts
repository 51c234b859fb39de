import type { Instant, NodeId, WorkspaceId } from '#kernel';
import type { LeaseReader } from './lease.js';

/** Whether a node lives, and what of it is not ready. */
export interface NodeLife {
  readonly liveness: 'alive' | 'silent' | 'unclear';
  /** Harnesses that it offers and says are not ready. */
  readonly notReady: readonly string[];
  readonly lastHeardAt: Instant | null;
}

/**
 * Who judges whether nodes live. The broker's leases do, unless an installation has an authority of its own; no row of a read
 * model is ever asked.
 */
export interface LivenessAuthority {
  judge(workspace: WorkspaceId, node: NodeId): Promise<NodeLife>;
}
export const LIVENESS_AUTHORITY = Symbol('LivenessAuthority');

/** The authority where there is no other one: a node lives as long as it renews its lease. */
export class LeaseLiveness implements LivenessAuthority {
  constructor(
    private readonly leases: LeaseReader,
    private readonly now: () => Instant,
  ) {}

  async judge(workspace: WorkspaceId, node: NodeId): Promise<NodeLife> {
    const verdict = await this.leases.judge(workspace, node);
    switch (verdict.kind) {
      case 'alive':
        return {
          liveness: 'alive',
          notReady: verdict.lease.notReady ?? [],
          lastHeardAt: this.now() - Math.round(verdict.ageMs),
        };
      case 'expired':
        return {
          liveness: 'silent',
          notReady: [],
          lastHeardAt: this.now() - Math.round(verdict.ageMs),
        };
      // It has joined, and may renew for the first time at any moment.
      case 'never':
      case 'cannot-tell':
        return { liveness: 'unclear', notReady: [], lastHeardAt: null };
    }
  }
}
