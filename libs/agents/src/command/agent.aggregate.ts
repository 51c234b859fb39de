import type { AggregateType } from '#event-store';
import { AGENT, type AgentCommand, type AgentEvent, type AgentState } from '../domain/index.js';

export const AGENT_AGGREGATE: AggregateType<AgentCommand, AgentState, AgentEvent> = {
  decider: AGENT,
};
