import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AgentView, Page } from '#contracts';
import { PAGE_SIZE } from '#contracts/requests';
import { EVENT_STORE, type EventStore } from '#event-store';
import { RuleViolation } from '#kernel';
import { Database, decodeCursor, pageOf } from '#postgres';
import { AGENT_ROWS, AgentViewEntity, type AgentRow } from '../projection/index.js';
import { toAgentView } from './agent-view.js';
import { GetAgent, ListAgents } from './agent.queries.js';

@QueryHandler(ListAgents)
export class ListAgentsHandler implements IQueryHandler<ListAgents> {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** @throws RuleViolation `invalid_request` when the cursor is not one of this list. */
  async execute({ workspace, filter }: ListAgents): Promise<Page<AgentView>> {
    const { limit = PAGE_SIZE.default, node } = filter;
    const after = decodeCursor(filter.cursor, ['string']);
    const found = await this.database.read((source) => {
      const query = source
        .getRepository(AgentViewEntity)
        .createQueryBuilder('agent')
        .where('agent.workspace = :workspace', { workspace })
        .orderBy('agent.name')
        .limit(limit + 1);
      if (node !== undefined) query.andWhere('agent.node = :node', { node });
      if (after !== undefined) query.andWhere('agent.name > :after', { after: after[0] });
      return query.getMany();
    });
    const page = pageOf(found, limit, ({ name }) => [name]);
    return { ...page, items: page.items.map(toAgentView) };
  }
}

@QueryHandler(GetAgent)
export class GetAgentHandler implements IQueryHandler<GetAgent> {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** @throws RuleViolation `agent_not_found` */
  async execute({ workspace, agent: name }: GetAgent): Promise<AgentView> {
    const stored: AgentRow | null = await this.database.read((source) =>
      source.getRepository(AgentViewEntity).findOneBy({ workspace, name }),
    );
    const row = stored ?? (await this.fold(workspace, name));
    if (row === undefined)
      throw new RuleViolation('agent_not_found', { agent: name }, 'there is no such agent');
    return toAgentView(row);
  }

  /** The row that the projection will make of an agent that was registered just now. */
  private async fold(workspace: string, id: string): Promise<AgentRow | undefined> {
    const ref = { aggregate: 'agent', workspace, id };
    const commits = await this.store.read(ref, { consistency: 'any', ignoreSnapshots: true });
    return commits.reduce<AgentRow | undefined>(
      (row, commit) => AGENT_ROWS.project(row, commit, {}),
      undefined,
    );
  }
}
