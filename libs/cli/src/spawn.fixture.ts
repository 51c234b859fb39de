import type { NodeView, SpawnDetailView, StrictSpawnView } from '#contracts';

export const SPAWN_ID = '22222222-2222-4222-8222-222222222222';

/** What the two strict routes answer of a spawn whose order has left. */
export const strictView = (changes: Partial<StrictSpawnView> = {}): StrictSpawnView => ({
  invocation_id: SPAWN_ID,
  status: 'dispatched',
  handler_node_id: 'build-7',
  handler_node_name: 'build machine 7',
  dispatched_node_id: 'build-7',
  dispatched_node_name: 'build machine 7',
  dispatch_generation: 1,
  dispatched_at: '2026-11-29T11:59:50.100Z',
  retry_after_at: '2026-11-29T12:00:20.100Z',
  worker_cwd: null,
  failure_code: null,
  waits_for: null,
  spawn_contract_applied: 'relay.spawn.invoke.logical/1',
  ...changes,
});

/** A strict spawn whose agent was started. */
export const spawnView = (changes: Partial<SpawnDetailView> = {}): SpawnDetailView => ({
  spawnId: SPAWN_ID,
  kind: 'strict',
  agentName: 'reviewer',
  harness: 'cli',
  status: 'completed',
  code: null,
  waitsFor: null,
  nodeId: 'build-7',
  nodeName: 'build machine 7',
  capabilities: [],
  directory: null,
  workerCwd: '/srv/work',
  verifyReady: false,
  requestedBy: 'agent:local',
  claimedAt: '2026-11-29T11:59:50.000Z',
  dispatchedAt: '2026-11-29T11:59:50.100Z',
  retryAfterAt: '2026-11-29T12:00:20.100Z',
  settledAt: '2026-11-29T11:59:52.000Z',
  updatedAt: '2026-11-29T11:59:52.000Z',
  round: 1,
  generation: 1,
  slot: 'occupied',
  agent: 'alive',
  stop: null,
  unknown: null,
  resolution: null,
  lateEvidence: 0,
  alarming: false,
  sequence: 9,
  task: 'Review the last commit',
  ...changes,
});

export const unknownSpawn = (changes: Partial<SpawnDetailView> = {}): SpawnDetailView =>
  spawnView({
    status: 'failed',
    code: 'spawn_outcome_unknown',
    waitsFor: 'its node to come back, or an operator',
    slot: 'reserved',
    agent: 'maybe',
    workerCwd: null,
    unknown: {
      reason: 'node build machine 7 fell silent',
      witness: 'saga',
      since: '2026-11-29T11:59:52.000Z',
      lastHeardAt: null,
      advice: 'wait for the node, or decide',
    },
    ...changes,
  });

/** A node with two places, one of which is taken. */
export const nodeView = (changes: Partial<NodeView> = {}): NodeView => ({
  id: 'build-7',
  name: 'build machine 7',
  membership: 'member',
  liveness: 'alive',
  recovering: false,
  lastHeardAt: '2026-11-29T11:59:58.000Z',
  capabilities: ['gpu'],
  capacity: 2,
  maxRuns: 16,
  running: 1,
  waiting: 0,
  agents: ['echo'],
  harnesses: ['cli', 'codex'],
  notReady: ['codex'],
  drained: null,
  slots: [
    {
      spawnId: SPAWN_ID,
      agentName: 'reviewer',
      harness: 'cli',
      state: 'occupied',
      round: 1,
      since: '2026-11-29T11:59:00.000Z',
      why: 'its agent is alive',
    },
  ],
  journalId: 'journal-1',
  incarnation: 'incarnation-1',
  joinedAt: '2026-11-29T11:00:00.000Z',
  ...changes,
});
