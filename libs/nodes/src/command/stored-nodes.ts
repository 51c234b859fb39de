import type { AggregateStore } from '#event-store';
import type { NodeId, WorkspaceId } from '#kernel';
import type { KnownNode, NodeDirectory } from '../contract/index.js';
import { NODE_AGGREGATE } from './node.aggregate.js';

/** Nodes as their streams say. */
export class StoredNodes implements NodeDirectory {
  constructor(private readonly store: Pick<AggregateStore, 'load'>) {}

  async find(
    workspace: WorkspaceId,
    node: NodeId,
    consistency: 'any' | 'leader',
  ): Promise<KnownNode> {
    const { state } = await this.store.load(NODE_AGGREGATE, workspace, node, consistency);
    return {
      journalId: state.status === 'member' ? state.journalId : null,
      incarnation: state.incarnation,
      journals: state.journals,
    };
  }
}
