import type { Epoch, Incarnation, Instant, JournalId, NodeId, SpawnId, StopId } from '#kernel';
import type { SpawnFailureCode, SpawnResolution, SpawnStatus } from '../contract/index.js';
import type { SpawnClaimed, SpawnEvent, SpawnRequestFacts } from './spawn.events.js';

/** Which node is meant, in which round. */
export interface SpawnPlacement {
  readonly round: number;
  readonly token: string;
  readonly nodeId: NodeId;
  readonly until: Instant;
}

/** What was committed before the frame left; every later answer shows it. */
export interface SpawnDispatch {
  readonly generation: number;
  readonly round: number;
  readonly nodeId: NodeId;
  readonly nodeName: string;
  readonly journalId: JournalId;
  readonly reservedAt: Instant;
  readonly dispatchedAt: Instant;
  readonly retryAfterAt: Instant;
  readonly epoch: Epoch;
}

/** A spawn that exists, as folded from its subject. */
export interface ExistingSpawn {
  readonly status: SpawnStatus;
  readonly spawnId: SpawnId;
  readonly request: SpawnRequestFacts;
  readonly claimedAt: Instant;
  /** The newest epoch in which it was claimed or dispatched. */
  readonly epoch: Epoch;
  /** Null only before a generic spawn was placed. */
  readonly placement: SpawnPlacement | null;
  /** Its newest dispatch; null before the first one. A strict spawn has one at most. */
  readonly dispatch: SpawnDispatch | null;
  /** Who may start it. */
  readonly holder: { readonly journalId: JournalId; readonly incarnation: Incarnation } | null;
  readonly workerCwd: string | null;
  readonly failure: { readonly code: SpawnFailureCode; readonly at: Instant } | null;
  /** What its node said of the agent after the spawn had failed as unknown. */
  readonly lateAgent: 'lives' | 'gone' | null;
  readonly resolution: SpawnResolution | null;
  readonly agentStop: { readonly stopId: StopId; readonly at: Instant } | null;
  /** Late evidence that is recorded, so that a repeat adds nothing. */
  readonly lateEvidence: readonly string[];
}

export type SpawnState = { readonly status: 'none'; readonly spawnId: SpawnId } | ExistingSpawn;

export const initialSpawn = (spawnId: string): SpawnState => ({ status: 'none', spawnId });

/** Nothing has left, and nothing may have. */
export const isUnsent = ({ status }: ExistingSpawn): boolean =>
  status === 'pending' || status === 'releasing';

/** The generation that its node may know of: after a restore, a first one may be forgotten. */
export const generationOf = ({ dispatch }: ExistingSpawn): number => dispatch?.generation ?? 1;

export const isTerminal = ({ status }: ExistingSpawn): boolean =>
  status === 'completed' || status === 'failed';

export const isUnknown = ({ failure }: ExistingSpawn): boolean =>
  failure?.code === 'spawn_outcome_unknown';

/** The spawn as it stands after one event. A recorded event is a fact: nothing is refused here. */
export const evolveSpawn = (spawn: SpawnState, event: SpawnEvent): SpawnState => {
  if (event.type === 'SpawnClaimed') return claimed(event);
  return spawn.status === 'none' ? spawn : evolveExisting(spawn, event);
};

const claimed = ({ data }: SpawnClaimed): ExistingSpawn => {
  const { spawnId, at, epoch, ...request } = data;
  return {
    status: 'pending',
    spawnId,
    request,
    claimedAt: at,
    epoch,
    placement: null,
    dispatch: null,
    holder: null,
    workerCwd: null,
    failure: null,
    lateAgent: null,
    resolution: null,
    agentStop: null,
    lateEvidence: [],
  };
};

const evolveExisting = (
  spawn: ExistingSpawn,
  event: Exclude<SpawnEvent, SpawnClaimed>,
): ExistingSpawn => {
  switch (event.type) {
    case 'SpawnPlacementIntended': {
      const { round, token, nodeId, until } = event.data;
      return { ...spawn, status: 'pending', placement: { round, token, nodeId, until } };
    }
    case 'SpawnReservationReleaseDecided':
      return { ...spawn, status: 'releasing' };
    case 'SpawnDispatched': {
      const { generation, round, nodeId, nodeName, journalId } = event.data;
      const { reservedAt, at: dispatchedAt, retryAfterAt, epoch } = event.data;
      const snapshot = { generation, round, nodeId, nodeName, journalId, reservedAt };
      const dispatch = { ...snapshot, dispatchedAt, retryAfterAt, epoch };
      // What was heard of an earlier generation says nothing of the agent that this one may start.
      return { ...spawn, status: 'dispatched', epoch, dispatch, holder: null, lateAgent: null };
    }
    // A strict spawn fails in the same commit; a generic one is placed anew once its slot is free.
    case 'SpawnDispatchRevoked':
      return { ...spawn, status: 'releasing', holder: null };
    case 'SpawnFrameClaimed': {
      const { journalId, incarnation } = event.data;
      return { ...spawn, status: 'claimed', holder: { journalId, incarnation } };
    }
    case 'SpawnCompleted':
      return { ...spawn, status: 'completed', workerCwd: event.data.workerCwd };
    case 'SpawnFailed':
    case 'SpawnExpired':
    case 'SpawnSettledUnknown': {
      const { code, at } = event.data;
      return { ...spawn, status: 'failed', failure: { code, at } };
    }
    case 'SpawnLateEvidenceRecorded': {
      const { agent, evidence, generation } = event.data;
      // An agent that is gone does not come back: a report that was overtaken changes nothing.
      const isOfPast = spawn.lateAgent === 'gone' || generation < generationOf(spawn);
      const lateAgent = isOfPast ? spawn.lateAgent : agent;
      return { ...spawn, lateAgent, lateEvidence: [...spawn.lateEvidence, evidence] };
    }
    case 'SpawnResolved':
      return { ...spawn, resolution: event.data.as };
    case 'SpawnAgentStopRequested': {
      const { stopId, at } = event.data;
      return { ...spawn, agentStop: { stopId, at } };
    }
  }
};
