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

/** A dispatch that was taken back before another one was made: its node may still speak of it. */
export type EarlierDispatch = Pick<SpawnDispatch, 'generation' | 'nodeId'>;

/** So many are remembered, the newest ones: more than fit between a claim and its expiry. */
const EARLIER_MAX = 100;

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
  /** Those before it, the oldest first; of a strict spawn there are none. */
  readonly earlier: readonly EarlierDispatch[];
  /** Who may start it. */
  readonly holder: { readonly journalId: JournalId; readonly incarnation: Incarnation } | null;
  readonly workerCwd: string | null;
  readonly failure: { readonly code: SpawnFailureCode; readonly at: Instant } | null;
  /** What its node said of the agent after the spawn had failed as unknown. */
  readonly lateAgent: 'lives' | 'gone' | null;
  readonly resolution: SpawnResolution | null;
  readonly agentStop: { readonly stopId: StopId; readonly at: Instant } | null;
  /** Late evidence that is recorded, by {@link lateEvidenceKey}, so that a repeat adds nothing. */
  readonly lateEvidence: readonly string[];
}

export type SpawnState = { readonly status: 'none'; readonly spawnId: SpawnId } | ExistingSpawn;

export const initialSpawn = (spawnId: string): SpawnState => ({ status: 'none', spawnId });

/** Nothing has left, and nothing may have. */
export const isUnsent = ({ status }: ExistingSpawn): boolean =>
  status === 'pending' || status === 'releasing';

/** The dispatch to the node that it is placed on now; null while it is placed anew, or was never dispatched. */
export const currentDispatchOf = ({ dispatch, placement }: ExistingSpawn): SpawnDispatch | null =>
  dispatch !== null && dispatch.round === placement?.round ? dispatch : null;

/** Whose answer says what became of it; null when nobody can tell. */
export const journalOf = (spawn: ExistingSpawn): JournalId | null =>
  (spawn.holder ?? currentDispatchOf(spawn))?.journalId ?? null;

/** The generation that its node may know of: after a restore, its dispatch may be forgotten. */
export const generationOf = (spawn: ExistingSpawn): number =>
  currentDispatchOf(spawn)?.generation ?? (spawn.dispatch?.generation ?? 0) + 1;

/** The node that may speak of a generation; null when nobody can tell which one that is. */
export const nodeOfGeneration = (spawn: ExistingSpawn, generation: number): NodeId | null => {
  const { request, earlier, dispatch, placement } = spawn;
  if (request.nodeId !== null) return request.nodeId;
  const sent = [...earlier, dispatch].find((one) => one?.generation === generation);
  if (sent) return sent.nodeId;
  return generation === generationOf(spawn) ? (placement?.nodeId ?? null) : null;
};

/** Evidence of two generations is never the same, whatever the words. */
export const lateEvidenceKey = (data: {
  readonly generation: number;
  readonly evidence: string;
}): string => `${String(data.generation)}/${data.evidence}`;

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
    earlier: [],
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
      const sent = { ...spawn, epoch, dispatch, earlier: earlierOf(spawn) };
      // What was heard of an earlier generation says nothing of the agent that this one may start.
      return { ...sent, status: 'dispatched', holder: null, lateAgent: null };
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
      const lateEvidence = [...spawn.lateEvidence, lateEvidenceKey({ generation, evidence })];
      return { ...spawn, lateAgent, lateEvidence };
    }
    case 'SpawnResolved':
      return { ...spawn, resolution: event.data.as };
    case 'SpawnAgentStopRequested': {
      const { stopId, at } = event.data;
      return { ...spawn, agentStop: { stopId, at } };
    }
  }
};

const earlierOf = ({ earlier, dispatch }: ExistingSpawn): readonly EarlierDispatch[] => {
  if (dispatch === null) return earlier;
  const { generation, nodeId } = dispatch;
  return [...earlier, { generation, nodeId }].slice(-EARLIER_MAX);
};
