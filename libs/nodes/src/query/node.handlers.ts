import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { NodeView, Page } from '#contracts';
import { PAGE_SIZE } from '#contracts/requests';
import { EVENT_STORE, type EventStore } from '#event-store';
import { RuleViolation, bug } from '#kernel';
import { Database, decodeCursor, pageOf } from '#postgres';
import { NODE_ROWS, NodeViewEntity, type NodeRow } from '../projection/index.js';
import { NodeViews } from './node-views.js';
import { GetNode, ListNodes } from './node.queries.js';

@QueryHandler(ListNodes)
export class ListNodesHandler implements IQueryHandler<ListNodes> {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(NodeViews) private readonly views: NodeViews,
  ) {}

  /** @throws RuleViolation `invalid_request` when the cursor is not one of this list. */
  async execute({
    workspace,
    page: { limit = PAGE_SIZE.default, cursor },
  }: ListNodes): Promise<Page<NodeView>> {
    const after = decodeCursor(cursor, ['string']);
    const found = await this.database.read((source) => {
      const query = source
        .getRepository(NodeViewEntity)
        .createQueryBuilder('node')
        .where('node.workspace = :workspace', { workspace })
        .orderBy('node.nodeId')
        .limit(limit + 1);
      if (after !== undefined) query.andWhere('node.nodeId > :after', { after: after[0] });
      return query.getMany();
    });
    const page = pageOf(found, limit, ({ nodeId }) => [nodeId]);
    return { ...page, items: await this.views.of(workspace, page.items) };
  }
}

@QueryHandler(GetNode)
export class GetNodeHandler implements IQueryHandler<GetNode> {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(NodeViews) private readonly views: NodeViews,
  ) {}

  /** @throws RuleViolation `node_not_found` */
  async execute({ workspace, node: nodeId }: GetNode): Promise<NodeView> {
    const stored: NodeRow | null = await this.database.read((source) =>
      source.getRepository(NodeViewEntity).findOneBy({ workspace, nodeId }),
    );
    const row = stored ?? (await this.fold(workspace, nodeId));
    if (row === undefined)
      throw new RuleViolation('node_not_found', { node: nodeId }, 'there is no such node');
    const [view] = await this.views.of(workspace, [row]);
    if (view === undefined) throw bug('a row has no view');
    return view;
  }

  /** The row that the projection will make of a node that joined just now. */
  private async fold(workspace: string, id: string): Promise<NodeRow | undefined> {
    const ref = { aggregate: 'node', workspace, id };
    const commits = await this.store.read(ref, { consistency: 'any', ignoreSnapshots: true });
    return commits.reduce<NodeRow | undefined>(
      (row, commit) => NODE_ROWS.project(row, commit, {}),
      undefined,
    );
  }
}
