import type { AgentView } from '#contracts';
import type { AgentRow } from '../projection/index.js';

/** An agent as callers see it. Pure. */
export const toAgentView = (row: AgentRow): AgentView => ({
  name: row.name,
  node: row.node,
  status: row.status,
  runtime: row.runtime,
  attempts: row.attempts,
  capabilities: {
    deduplicatesByKey: row.deduplicatesByKey,
    readBackByKey: row.readBackByKey,
    interruptible: row.interruptible,
    outlivesClient: row.outlivesClient,
  },
  promptBy: row.promptBy,
  registeredAt: new Date(row.registeredAt).toISOString(),
});
