import { AGENT, type AgentCommand, type AgentState } from '#agents/domain';
import type { AgentBinding } from '#agents/contract';
import { RuleViolation } from '#kernel';
import { fencedRound, slotOf, type NodeCommand, type NodeState } from '#nodes/domain';
import { oneOf } from '#testing';
import { STRICT_SPAWN_CONTRACT } from '../contract/index.js';
import {
  decideSpawn,
  type ExistingSpawn,
  type SpawnCommand,
  type SpawnEvent,
  type SpawnState,
} from '../domain/index.js';

type Random = () => number;
type Claim = Extract<SpawnCommand, { type: 'ClaimSpawn' }>;

const JOURNALS = ['j1', 'j2'];
const INCARNATIONS = ['i1', 'i2'];
const TOKEN = 'a1'.repeat(16);

export const someClaim = (
  spawnId: string,
  nodeIds: readonly string[],
  random: Random,
  now: number,
): Claim => {
  const common = {
    type: 'ClaimSpawn',
    spawnId,
    now,
    principal: 'agent:caller',
    key: `key of ${spawnId}`,
    fingerprint: 'v1:f',
    agentName: 'reviewer',
    harness: 'cli',
    task: `review ${spawnId}`,
    directory: oneOf(random, [null, '/work']),
    verifyReady: random() < 0.5,
    epoch: 1,
  } as const;
  if (random() < 0.4)
    return {
      ...common,
      kind: 'generic',
      contract: null,
      nodeId: null,
      nodeName: null,
      capabilities: ['gpu'],
      place: null,
    };
  const nodeId = oneOf(random, nodeIds);
  return {
    ...common,
    kind: 'strict',
    contract: STRICT_SPAWN_CONTRACT,
    nodeId,
    nodeName: `node ${nodeId}`,
    capabilities: [],
    place: { token: TOKEN, until: now + 1_000 },
  };
};

/** Where a spawn's slot stands, as its node says. */
interface Standing {
  readonly held: number | null;
  readonly fenced: number;
}

export const standingOf = (node: NodeState | undefined, spawnId: string): Standing => ({
  held: node === undefined ? null : (slotOf(node.slots, spawnId)?.round ?? null),
  fenced: node === undefined ? 0 : fencedRound(node.slots, spawnId),
});

/** Any command, more often one that fits than one that does not. */
const commandFor = (
  random: Random,
  spawn: ExistingSpawn,
  { held, fenced }: Standing,
  nodeIds: readonly string[],
  now: number,
): SpawnCommand => {
  const { spawnId, request, placement, dispatch } = spawn;
  const base = { spawnId, now };
  const round = placement?.round ?? 0;
  const generation = dispatch?.generation ?? 1;
  const journalId = random() < 0.9 ? (dispatch?.journalId ?? 'j1') : oneOf(random, JOURNALS);
  const incarnation = random() < 0.8 ? 'i1' : oneOf(random, INCARNATIONS);
  const speaks = { ...base, generation, journalId, incarnation };
  const started = { evidence: oneOf(random, ['pid 7', 'pid 8']), workerCwd: '/work' };
  const choices: readonly (() => SpawnCommand)[] = [
    () => ({
      ...base,
      type: 'IntendPlacement',
      round: round + 1,
      nodeId: request.nodeId ?? oneOf(random, nodeIds),
      token: TOKEN,
      until: now + 1_000,
      released: fenced >= round,
    }),
    () => ({ ...base, type: 'DecideRelease', round, reason: 'not ready' }),
    () => ({
      ...base,
      type: 'DispatchSpawn',
      round,
      slot: held === null ? null : { round: held, reservedAt: now },
      nodeName: `node ${placement?.nodeId ?? ''}`,
      journalId,
      retryAfterAt: now + 30,
      epoch: 1,
    }),
    () => ({ ...base, type: 'RevokeSpawnDispatch', generation, reason: 'silence', epoch: 1 }),
    () => ({ ...base, type: 'ExpireSpawn', windowMs: 0 }),
    () => ({
      ...base,
      type: 'SettleSpawnUnknown',
      witness: oneOf(random, ['saga', 'reconciler']),
      evidence: {
        reason: 'silence',
        nodeId: placement?.nodeId ?? '',
        journalId,
        incarnation,
        lastHeardAt: oneOf(random, [null, 900]),
      },
      epoch: oneOf(random, [1, 1, 1, 2]),
    }),
    () => ({ ...speaks, type: 'ClaimSpawnFrame', epoch: 1 }),
    () => ({ ...speaks, ...started, type: 'ReportAgentStarted' }),
    () => ({ ...speaks, ...started, type: 'ReportAgentEnded' }),
    () => ({ ...speaks, type: 'ReportAgentNotStarted', disproves: incarnation, proof: 'closed' }),
    () => ({
      ...base,
      type: 'ResolveSpawn',
      as: oneOf(random, ['stop', 'adopt', 'free']),
      note: 'looked',
      actor: 'user:ada',
    }),
    () => ({
      ...base,
      type: 'RequestAgentStop',
      stopId: `s${String(now)}`,
      reason: 'enough',
      principal: 'user:ada',
    }),
  ];
  const often = [0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 8, 9, 10, 11];
  return choices[oneOf(random, often)]!();
};

/** What some command leads to, as the real decider decides it; nothing when it is refused or no news. */
export const someSpawnEvents = (
  random: Random,
  spawn: SpawnState,
  standing: Standing,
  nodeIds: readonly string[],
  now: number,
): readonly SpawnEvent[] =>
  spawn.status === 'none'
    ? []
    : unlessRefused(() => decideSpawn(commandFor(random, spawn, standing, nodeIds, now), spawn));

/** Something that is done with its slot on the node that it is placed on; null when it is placed on none. */
export const someSlotCommand = (
  random: Random,
  { spawnId, placement, request }: ExistingSpawn,
  now: number,
): Extract<NodeCommand, { spawnId: string }> | null => {
  if (placement === null) return null;
  const { nodeId, token, until, round } = placement;
  const base = { spawnId, nodeId, now };
  const { agentName, harness } = request;
  const snapshot = { nodeName: `node ${nodeId}`, agentName, harness };
  return oneOf(random, [
    { ...base, type: 'ReserveSlot', round, token, snapshot, until },
    { ...base, type: 'ReserveSlot', round, token, snapshot, until },
    { ...base, type: 'OccupySlot', round },
    { ...base, type: 'ReleaseSlot', round, until, reason: 'given back' },
  ] as const);
};

export const bindingOf = ({ spawnId, request, placement }: ExistingSpawn): AgentBinding => ({
  name: request.agentName,
  node: placement?.nodeId ?? '',
  runtime: request.harness,
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: false,
  outlivesClient: false,
  promptBy: 'argument',
  spawn: spawnId,
});

/** Its agent is told of, or its end. */
export const someAgentCommand = (
  random: Random,
  spawn: ExistingSpawn,
  now: number,
): AgentCommand => {
  const binding = bindingOf(spawn);
  const name: string = spawn.spawnId;
  return random() < 0.6
    ? { type: 'RegisterAgent', binding, now }
    : { type: 'EndAgent', name, node: binding.node, reason: 'exit 0', now };
};

/** Like {@link someSpawnEvents}, of its agent. */
export const someAgentEvents = (
  random: Random,
  spawn: ExistingSpawn,
  agent: AgentState,
  now: number,
) => unlessRefused(() => AGENT.decide(someAgentCommand(random, spawn, now), agent));

export const unlessRefused = <Event>(decide: () => readonly Event[]): readonly Event[] => {
  try {
    return decide();
  } catch (error) {
    if (error instanceof RuleViolation) return [];
    throw error;
  }
};
