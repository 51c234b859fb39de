import { fold, type JournalId, type NodeId } from '#kernel';
import { STRICT_SPAWN_CONTRACT } from '#spawns/contract';
import {
  generationOf,
  type ExistingSpawn,
  type SpawnCommand,
  type SpawnState,
} from '#spawns/domain';
import type { SpawnContext, SpawnStep } from '#spawns/saga';
import { fencedRound, initialNode, slotOf, slotsUsed, type NodeState } from '#nodes/domain';
import type { SpawnBounds, SpawnRules, SpawnSetup } from './spawn.rules.js';

/** What somebody decided to do, on what was loaded then. */
export interface Pending {
  readonly step: SpawnStep;
  /** The spawn as it was then; only where an append does not compare: else whoever is overtaken is refused. */
  readonly loaded: SpawnState | null;
  /** What its append would be, made of what was read then; null for what is no append on the spawn. */
  readonly command: SpawnCommand | null;
  /** The node that it was placed on then; null before it was. */
  readonly nodeId: NodeId | null;
}

/** At a node: `-` never seen, `asks` journalled, `granted`, `running`, `ended`, `closed` unstarted. */
export type Work = '-' | 'asks' | 'granted' | 'running' | 'ended' | 'closed';

/** Everything that there is: one spawn, its nodes, two who move it on, and another spawn that wants the same slot. */
export interface World {
  readonly spawn: SpawnState;
  /** One that was named, or two that are alike. */
  readonly nodes: readonly NodeState[];
  readonly workers: readonly [Pending | null, Pending | null];
  /** By generation: the frame stands in its stream, under a subject that takes one message. */
  readonly frames: readonly [boolean, boolean];
  /** By generation, at the node that it was sent to. */
  readonly works: readonly [Work, Work];
  /** The agent's own stream. */
  readonly agent: SpawnContext['agent'];
  /** By generation: of its node-agent, counted from the one that journalled the frame. */
  readonly incarnations: readonly [number, number];
  /** Programs that were started. */
  readonly starts: number;
  /** Rounds of the other spawn so far, on the first node; it holds a slot while it is odd. */
  readonly other: number;
  readonly crashesLeft: number;
  readonly lostLeft: number;
}

export const SPAWN = 'x';
export const NODE_IDS = ['n', 'm'] as const;
export const EPOCH = 1;
/** Each node has one, and keeps it. */
export const journalOf = (nodeId: NodeId): JournalId => `journal of ${nodeId}`;

/** Everything is recorded at this moment; only who looks may look later, and then all that could be due is due. */
export const NOW = 0;
export const WINDOWS = {
  reservationMs: 10,
  retryAfterMs: 10,
  neverDispatchedMs: 1_000,
  repeatMs: 1,
};
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

export const initialWorld = ({ bounds, rules }: SpawnSetup): World => ({
  spawn: claimedSpawn(rules, bounds.kind),
  nodes: NODE_IDS.slice(0, bounds.kind === 'strict' ? 1 : 2).map((id) =>
    nodeWith(id, bounds.capacity),
  ),
  workers: [null, null],
  frames: [false, false],
  works: ['-', '-'],
  agent: 'none',
  incarnations: [1, 1],
  starts: 0,
  other: 0,
  crashesLeft: bounds.crashes,
  lostLeft: bounds.lostAnswers,
});

const claimedSpawn = (rules: SpawnRules, kind: SpawnBounds['kind']): SpawnState => {
  const none: SpawnState = { status: 'none', spawnId: SPAWN };
  const [node] = NODE_IDS;
  const claim: SpawnCommand = {
    type: 'ClaimSpawn',
    spawnId: SPAWN,
    now: NOW,
    kind,
    contract: kind === 'strict' ? STRICT_SPAWN_CONTRACT : null,
    principal: 'p',
    key: 'k',
    fingerprint: 'f',
    epoch: EPOCH,
    nodeId: kind === 'strict' ? node : null,
    nodeName: kind === 'strict' ? node : null,
    capabilities: [],
    agentName: 'a',
    harness: 'h',
    task: 't',
    directory: null,
    verifyReady: false,
    place: kind === 'strict' ? { token: 'token', until: NOW + WINDOWS.reservationMs } : null,
  };
  return fold(rules.evolveSpawn, none, rules.decideSpawn(claim, none));
};

const nodeWith = (id: NodeId, capacity: number): NodeState => ({
  ...initialNode(id),
  status: 'member',
  journalId: journalOf(id),
  description: { name: id, capabilities: [], capacity, maxRuns: 1, agents: [], harnesses: ['h'] },
});

/** The node that it is placed on; null before it was. */
export const placeOf = ({ spawn, nodes }: World): NodeState | null =>
  nodes.find(({ nodeId }) => nodeId === existing(spawn).placement?.nodeId) ?? null;

export const hasRoom = ({ slots, description }: NodeState): boolean =>
  slotsUsed(slots) < (description?.capacity ?? 0);

export const contextOf = (world: World, now: Moment, look: Look): SpawnContext => {
  const place = placeOf(world);
  const slot = place && slotOf(place.slots, SPAWN);
  return {
    now,
    epoch: EPOCH,
    node: {
      ...look,
      name: place?.nodeId ?? null,
      journalId: place?.journalId ?? null,
      capable: true,
      hasRoom: place !== null && hasRoom(place),
    },
    slot: {
      round: slot?.round ?? null,
      state: slot?.state ?? 'none',
      reservedAt: slot?.reservedAt ?? NOW,
      fenced: place === null ? 0 : fencedRound(place.slots, SPAWN),
    },
    agent: world.agent,
    framePublished: world.frames[generationOf(existing(world.spawn)) - 1] ?? false,
    callerAsks: true,
    lastAskedAt: null,
    windows: WINDOWS,
  };
};

/** The index of the node that a generation was sent to; null when it was not sent. */
export const holderOf = ({ spawn, nodes }: World, generation: number): number | null => {
  const { dispatch, earlier } = existing(spawn);
  const sent = [...earlier, dispatch].find((one) => one?.generation === generation);
  const index = nodes.findIndex(({ nodeId }) => nodeId === sent?.nodeId);
  return index < 0 ? null : index;
};

export const existing = (spawn: SpawnState): ExistingSpawn => {
  if (spawn.status === 'none') throw new Error('bug: the spawn was claimed at the beginning');
  return spawn;
};

export const roundOf = (spawn: SpawnState): number =>
  spawn.status === 'none' ? 0 : (spawn.placement?.round ?? 0);
