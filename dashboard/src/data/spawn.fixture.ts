import type { SpawnDetailView } from './spawn-status.js';

/** A strict spawn whose agent was started, and lives. */
export const spawn = (change: Partial<SpawnDetailView> = {}): SpawnDetailView => ({
  spawnId: '22222222-2222-4222-8222-222222222222',
  kind: 'strict',
  agentName: 'reviewer',
  harness: 'cli',
  status: 'completed',
  code: null,
  waitsFor: null,
  nodeId: 'n1',
  nodeName: 'n1',
  capabilities: [],
  directory: null,
  workerCwd: null,
  verifyReady: false,
  requestedBy: 'agent:bot',
  claimedAt: '2026-01-01T12:00:00.000Z',
  dispatchedAt: '2026-01-01T12:00:00.100Z',
  retryAfterAt: '2026-01-01T12:00:30.100Z',
  settledAt: '2026-01-01T12:00:01.000Z',
  updatedAt: '2026-01-01T12:00:01.000Z',
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
  ...change,
});

/** One that nobody could be asked about: its agent may be alive. */
export const unknownSpawn = (change: Partial<SpawnDetailView> = {}): SpawnDetailView =>
  spawn({
    status: 'failed',
    code: 'spawn_outcome_unknown',
    waitsFor: 'its node to come back, or an operator',
    slot: 'reserved',
    agent: 'maybe',
    unknown: {
      reason: 'node n1 fell silent',
      witness: 'saga',
      since: '2026-01-01T12:00:01.000Z',
      lastHeardAt: null,
      advice: 'Bring the node back, or decide.',
    },
    ...change,
  });
