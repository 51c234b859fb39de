/** The one contract that a strict spawn may name. */
export const STRICT_SPAWN_CONTRACT = 'relay.spawn.invoke.logical/1';

/** `strict`: on exactly the node that was named, or nothing. `generic`: on whichever node fits. */
export const SPAWN_KINDS = ['strict', 'generic'] as const;
export type SpawnKind = (typeof SPAWN_KINDS)[number];

/** Where a spawn stands, as its own stream says. */
export type SpawnStatus =
  /** It has a place in mind, and nothing has left. */
  | 'pending'
  /** Its place was given up, and is being fenced; nothing has left. */
  | 'releasing'
  /** Its frame may have left; nobody may start it yet. */
  | 'dispatched'
  /** Its node may start it. */
  | 'claimed'
  /** Its agent was started. */
  | 'completed'
  /** Terminal: see its code. */
  | 'failed';

/** What callers are told: a claim is between them and nobody. */
export const CALLER_SPAWN_STATUSES = ['pending', 'dispatched', 'completed', 'failed'] as const;
export type CallerSpawnStatus = (typeof CALLER_SPAWN_STATUSES)[number];

/** Why a spawn failed. */
export const SPAWN_FAILURE_CODES = [
  /** Dispatched, never claimed, revoked: certainly nothing was started. */
  'never_received',
  /** Its node was allowed to start it, and proved that it did not. */
  'agent_not_started',
  /** It was never dispatched, for too long: certainly nothing was started. */
  'never_dispatched_expired',
  /** Its node was allowed to start it, and could not be asked. An agent may be alive there. */
  'spawn_outcome_unknown',
] as const;
export type SpawnFailureCode = (typeof SPAWN_FAILURE_CODES)[number];

/** The status under which callers know it. */
export const callerStatusOf = (status: SpawnStatus): CallerSpawnStatus => {
  switch (status) {
    case 'pending':
    case 'releasing':
      return 'pending';
    case 'dispatched':
    case 'claimed':
      return 'dispatched';
    case 'completed':
    case 'failed':
      return status;
  }
};

/** What nobody could say of a claimed spawn. */
export interface SpawnUnknownEvidence {
  readonly reason: string;
  readonly nodeId: string;
  readonly journalId: string | null;
  readonly incarnation: string | null;
  readonly lastHeardAt: number | null;
}

/** How an operator ends the question of an agent that may be alive after its spawn failed as unknown. */
export const SPAWN_RESOLUTIONS = ['stop', 'adopt', 'free'] as const;
export type SpawnResolution = (typeof SPAWN_RESOLUTIONS)[number];
