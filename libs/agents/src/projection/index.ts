export * from './agent-view.entity.js';
export type { AgentRow } from './agent-view.row.js';
export * from './agent.projector.js';
export * from './agent.writer.js';
