import { RuleViolation, type AgentName, type Decider, type Instant, type NodeId } from '#kernel';
import type { AgentBinding } from '../contract/index.js';

/** The agent can be addressed: a node offers it. Appended again when what the node offers under that name changed. */
export interface AgentRegistered {
  readonly type: 'AgentRegistered';
  readonly data: { readonly binding: AgentBinding; readonly at: Instant };
}
/** The node no longer offers it. Runs that it has taken keep their node. */
export interface AgentEnded {
  readonly type: 'AgentEnded';
  readonly data: {
    readonly name: AgentName;
    readonly node: NodeId;
    readonly reason: string;
    readonly at: Instant;
  };
}
export type AgentEvent = AgentRegistered | AgentEnded;

export interface AgentState {
  readonly name: AgentName;
  readonly status: 'none' | 'registered' | 'ended';
  readonly binding: AgentBinding | null;
}

export interface RegisterAgent {
  readonly type: 'RegisterAgent';
  readonly binding: AgentBinding;
  readonly now: Instant;
}
export interface EndAgent {
  readonly type: 'EndAgent';
  readonly name: AgentName;
  readonly node: NodeId;
  readonly reason: string;
  readonly now: Instant;
}
/** The agent of a spawn has ended, whether or not it was heard of before. */
export interface EndSpawnedAgent extends Omit<EndAgent, 'type'> {
  readonly type: 'EndSpawnedAgent';
}
export type AgentCommand = RegisterAgent | EndAgent | EndSpawnedAgent;

export const initialAgent = (name: string): AgentState => ({ name, status: 'none', binding: null });

export const evolveAgent = (agent: AgentState, event: AgentEvent): AgentState => {
  switch (event.type) {
    case 'AgentRegistered':
      return { ...agent, status: 'registered', binding: event.data.binding };
    case 'AgentEnded':
      return { ...agent, status: 'ended' };
  }
};

export const decideAgent = (command: AgentCommand, agent: AgentState): readonly AgentEvent[] => {
  switch (command.type) {
    case 'RegisterAgent': {
      const { binding, now: at } = command;
      // Started once: one that has ended does not come back.
      if (binding.spawn !== undefined && agent.status !== 'none') return [];
      // No node can offer what a spawn has started, by its id.
      if (binding.spawn === undefined && agent.binding?.spawn !== undefined)
        throw new RuleViolation('agent_bound_elsewhere', {
          agent: binding.name,
          node: agent.binding.node,
        });
      if (agent.status === 'registered' && agent.binding !== null) {
        // One name, one node: a submission must never depend on which of two nodes is asked.
        if (agent.binding.node !== binding.node)
          throw new RuleViolation('agent_bound_elsewhere', {
            agent: binding.name,
            node: agent.binding.node,
          });
        if (sameBinding(agent.binding, binding)) return [];
      }
      return [{ type: 'AgentRegistered', data: { binding, at } }];
    }
    case 'EndAgent': {
      const { name, node, reason, now: at } = command;
      if (agent.status !== 'registered' || agent.binding?.node !== node) return [];
      if (agent.binding.spawn !== undefined) return [];
      return [{ type: 'AgentEnded', data: { name, node, reason, at } }];
    }
    case 'EndSpawnedAgent': {
      const { name, node, reason, now: at } = command;
      if (agent.status === 'ended') return [];
      return [{ type: 'AgentEnded', data: { name, node, reason, at } }];
    }
  }
};

/** Also what only one of the two says counts: a newer node may say more than was recorded. */
const sameBinding = (one: AgentBinding, other: AgentBinding): boolean =>
  (Object.keys({ ...one, ...other }) as (keyof AgentBinding)[]).every(
    (key) => one[key] === other[key],
  );

export const AGENT: Decider<AgentCommand, AgentState, AgentEvent> = {
  aggregate: 'agent',
  initialState: initialAgent,
  evolve: evolveAgent,
  decide: decideAgent,
};
