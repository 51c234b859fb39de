import type { AgentName, Instant, SpawnId } from '#kernel';

/**
 * Published: what others may read of the events of agents. The read model of spawns learns from them whether a spawned agent
 * lives.
 */
export type AgentLifeEvent =
  | {
      readonly type: 'AgentRegistered';
      readonly data: {
        /** `spawn`: whose agent it is, when a spawn started it. */
        readonly binding: { readonly spawn?: SpawnId };
        readonly at: Instant;
      };
    }
  /** `name`: of an agent that a spawn started, the spawn's id. */
  | {
      readonly type: 'AgentEnded';
      readonly data: {
        readonly name: AgentName;
        readonly reason: string;
        readonly at: Instant;
      };
    };
