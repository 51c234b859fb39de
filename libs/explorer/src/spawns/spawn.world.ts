import { fold } from '#kernel';
import { STRICT_SPAWN_CONTRACT } from '#spawns/contract';
import type { ExistingSpawn, SpawnCommand, SpawnState } from '#spawns/domain';
import type { SpawnContext, SpawnStep } from '#spawns/saga';
import { slotOf, type NodeState, type SlotCommand } from '#nodes/domain';
import type { SpawnRules, SpawnSetup } from './spawn.rules.js';

/** What somebody decided to do, on what was loaded then. */
export interface Pending {
  readonly step: SpawnStep;
  /** The spawn as it was then; only where an append does not compare: else whoever is overtaken is refused. */
  readonly loaded: SpawnState | null;
  /** What its append would be, made of what was read then; null for what is no append on the spawn. */
  readonly command: SpawnCommand | null;
}

/** Everything that there is: one spawn, its node, two who move it on, and another spawn that wants the same slot. */
export interface World {
  readonly spawn: SpawnState;
  readonly node: NodeState;
  readonly workers: readonly [Pending | null, Pending | null];
  /** The frame stands in its stream, under a subject that takes one message. */
  readonly frame: boolean;
  /** At the node: `-` never seen, `asks` journalled, `granted`, `running`, `ended`, `closed` unstarted. */
  readonly work: '-' | 'asks' | 'granted' | 'running' | 'ended' | 'closed';
  /** The agent's own stream. */
  readonly agent: SpawnContext['agent'];
  readonly incarnation: number;
  /** Programs that were started. */
  readonly starts: number;
  /** Rounds of the other spawn so far; it holds a slot while it is odd. */
  readonly other: number;
  readonly crashesLeft: number;
  readonly lostLeft: number;
}

export const SPAWN = 'x';
const OTHER = 'y';
const NODE = 'n';
const JOURNAL = 'j';
const EPOCH = 1;

/** Everything is recorded at this moment; only who looks may look later, and then all that could be due is due. */
export const NOW = 0;
const WINDOWS = { reservationMs: 10, retryAfterMs: 10, neverDispatchedMs: 1_000, repeatMs: 1 };
/** Nothing is due · rounds and dispatches are · it is too old to be dispatched at all. */
export const MOMENTS = [NOW, 100, 5_000] as const;
export type Moment = (typeof MOMENTS)[number];

/** How the node may look to whoever looks. */
export interface Look {
  readonly liveness: 'alive' | 'silent';
  readonly ready: boolean;
}
export const FINE: Look = { liveness: 'alive', ready: true };
export const LOOKS: readonly Look[] = [
  FINE,
  { liveness: 'alive', ready: false },
  { liveness: 'silent', ready: true },
];

export const initialWorld = ({ bounds, rules }: SpawnSetup, empty: NodeState): World => ({
  spawn: claimedSpawn(rules),
  node: nodeWith(empty, bounds.capacity),
  workers: [null, null],
  frame: false,
  work: '-',
  agent: 'none',
  incarnation: 1,
  starts: 0,
  other: 0,
  crashesLeft: bounds.crashes,
  lostLeft: bounds.lostAnswers,
});

const claimedSpawn = (rules: SpawnRules): SpawnState => {
  const none: SpawnState = { status: 'none', spawnId: SPAWN };
  const claim: SpawnCommand = {
    type: 'ClaimSpawn',
    spawnId: SPAWN,
    now: NOW,
    kind: 'strict',
    contract: STRICT_SPAWN_CONTRACT,
    principal: 'p',
    key: 'k',
    fingerprint: 'f',
    epoch: EPOCH,
    nodeId: NODE,
    nodeName: NODE,
    capabilities: [],
    agentName: 'a',
    harness: 'h',
    task: 't',
    directory: null,
    verifyReady: false,
    place: { token: 'token', until: NOW + WINDOWS.reservationMs },
  };
  return fold(rules.evolveSpawn, none, rules.decideSpawn(claim, none));
};

const nodeWith = (empty: NodeState, capacity: number): NodeState => ({
  ...empty,
  status: 'member',
  journalId: JOURNAL,
  description: { name: NODE, capabilities: [], capacity, maxRuns: 1, agents: [], harnesses: ['h'] },
});
export const NODE_ID = NODE;

export const contextOf = (world: World, now: Moment, look: Look): SpawnContext => {
  const { slots, description, journalId } = world.node;
  const slot = slotOf(slots, SPAWN);
  return {
    now,
    epoch: EPOCH,
    node: {
      ...look,
      name: NODE,
      journalId,
      capable: true,
      hasRoom: Object.keys(slots.held).length < (description?.capacity ?? 0),
    },
    slot: {
      round: slot?.round ?? null,
      state: slot?.state ?? 'none',
      reservedAt: slot?.reservedAt ?? NOW,
      fenced: slots.fences[SPAWN]?.round ?? 0,
    },
    agent: world.agent,
    framePublished: world.frame,
    callerAsks: true,
    lastAskedAt: null,
    windows: WINDOWS,
  };
};

/** What a step appends on the spawn; null for what it does elsewhere. */
export const commandOf = (step: SpawnStep, { slot }: SpawnContext): SpawnCommand | null => {
  const base = { spawnId: SPAWN, now: NOW };
  switch (step.kind) {
    case 'dispatch': {
      const { round, journalId } = step;
      const held = slot.round === null ? null : { round: slot.round, reservedAt: NOW };
      const dispatch = { round, journalId, slot: held, nodeName: NODE, epoch: EPOCH } as const;
      const retryAfterAt = NOW + WINDOWS.retryAfterMs;
      return { type: 'DispatchSpawn', ...base, ...dispatch, retryAfterAt };
    }
    case 'decideRelease':
      return { type: 'DecideRelease', ...base, round: step.round, reason: 'released' };
    case 'intendPlacement': {
      const released = slot.fenced >= step.round - 1;
      const until = NOW + WINDOWS.reservationMs;
      const place = { round: step.round, nodeId: NODE, token: 'token', until, released } as const;
      return { type: 'IntendPlacement', ...base, ...place };
    }
    case 'expire':
      return { type: 'ExpireSpawn', ...base, now: MOMENTS[2], windowMs: WINDOWS.neverDispatchedMs };
    case 'revoke': {
      const { generation } = step;
      return { type: 'RevokeSpawnDispatch', ...base, generation, reason: 'late', epoch: EPOCH };
    }
    case 'ask': // Whoever is not answered, and may wait no longer, says so.
    case 'settleUnknown': {
      const silence = { reason: 'silent', nodeId: NODE, journalId: JOURNAL };
      const evidence = { ...silence, incarnation: null, lastHeardAt: null };
      return { type: 'SettleSpawnUnknown', ...base, witness: 'saga', evidence, epoch: EPOCH };
    }
    case 'reserve':
    case 'releaseSlot':
    case 'occupySlot':
    case 'publishFrame':
    case 'sendStop':
      return null;
  }
};

/** What a step appends on the node; null for the others. */
export const slotCommandOf = (step: SpawnStep): SlotCommand | null => {
  const base = { nodeId: NODE, spawnId: SPAWN, now: NOW } as const;
  const until = NOW + WINDOWS.reservationMs;
  switch (step.kind) {
    case 'reserve':
      return { type: 'ReserveSlot', ...base, round: step.round, token: 'token', snapshot, until };
    case 'releaseSlot':
      return { type: 'ReleaseSlot', ...base, round: step.round, until, reason: 'released' };
    case 'occupySlot':
      return { type: 'OccupySlot', ...base, round: step.round };
    case 'dispatch':
    case 'decideRelease':
    case 'intendPlacement':
    case 'expire':
    case 'revoke':
    case 'ask':
    case 'settleUnknown':
    case 'publishFrame':
    case 'sendStop':
      return null;
  }
};
const snapshot = { nodeName: NODE, agentName: 'a', harness: 'h' };

/** The other spawn takes a slot, or gives it back. */
export const otherCommand = (other: number): SlotCommand => {
  const round = Math.floor(other / 2) + 1;
  const base = { nodeId: NODE, spawnId: OTHER, now: NOW, round } as const;
  const until = NOW + WINDOWS.reservationMs;
  return other % 2 === 0
    ? { type: 'ReserveSlot', ...base, token: OTHER, snapshot, until }
    : { type: 'ReleaseSlot', ...base, until, reason: 'ended' };
};

/** What the node may say of it, by what its journal holds. */
export const reportOf = ({ work, spawn, incarnation }: World): SpawnCommand | null => {
  const generation = generationIn(spawn);
  const base = { spawnId: SPAWN, now: NOW, generation, journalId: JOURNAL } as const;
  const by = { ...base, incarnation: String(incarnation) };
  switch (work) {
    case '-':
    case 'asks':
    case 'granted':
      return null;
    case 'running':
      return { type: 'ReportAgentStarted', ...by, evidence: 'alive', workerCwd: null };
    case 'ended':
      return { type: 'ReportAgentEnded', ...by, evidence: 'exit 0', workerCwd: null };
    case 'closed':
      return { type: 'ReportAgentNotStarted', ...by, disproves: '1', proof: 'no go' };
  }
};

export const claimOf = ({ spawn, incarnation }: World): SpawnCommand => ({
  type: 'ClaimSpawnFrame',
  spawnId: SPAWN,
  now: NOW,
  generation: generationIn(spawn),
  journalId: JOURNAL,
  incarnation: String(incarnation),
  epoch: EPOCH,
});

const generationIn = (spawn: SpawnState): number =>
  spawn.status === 'none' ? 1 : (spawn.dispatch?.generation ?? 1);

export const existing = (spawn: SpawnState): ExistingSpawn => {
  if (spawn.status === 'none') throw new Error('bug: the spawn was claimed at the beginning');
  return spawn;
};

export const roundOf = (spawn: SpawnState): number =>
  spawn.status === 'none' ? 0 : (spawn.placement?.round ?? 0);
