import type { SlotView } from '../../../libs/contracts/src/spawn.views.js';
import type { SagaView, SystemView } from '../../../libs/contracts/src/system.view.js';
import type { NodeView, ProjectionView, RunView } from '../../../libs/contracts/src/views.js';

export const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const at = (agoMs: number): string => new Date(NOW - agoMs).toISOString();
const found = <Value>(value: Value) => ({ value, why: null });

export const projection = (change: Partial<ProjectionView> = {}): ProjectionView => ({
  name: 'runs',
  generation: '1',
  epoch: 0,
  position: 1_000,
  end: 1_000,
  lag: 0,
  lagMs: 0,
  finding: null,
  updatedAt: at(50),
  ...change,
});

export const saga = (change: Partial<SagaView> = {}): SagaView => ({
  name: 'runs',
  waiting: 0,
  inWork: 0,
  again: 0,
  oldestMs: 0,
  takers: 1,
  ...change,
});

export const node = (change: Partial<NodeView> = {}): NodeView => ({
  id: 'local',
  name: 'local',
  membership: 'member',
  liveness: 'alive',
  recovering: false,
  lastHeardAt: at(900),
  capabilities: [],
  capacity: 4,
  maxRuns: 16,
  running: 2,
  waiting: 0,
  agents: ['echo'],
  harnesses: [],
  notReady: [],
  drained: null,
  slots: [],
  journalId: 'journal-1',
  incarnation: 'incarnation-1',
  joinedAt: at(3_600_000),
  ...change,
});

export const slot = (change: Partial<SlotView> = {}): SlotView => ({
  spawnId: '22222222-2222-4222-8222-222222222222',
  agentName: 'reviewer',
  harness: 'cli',
  state: 'occupied',
  round: 1,
  since: at(60_000),
  why: 'its agent is alive',
  ...change,
});

export const run = (change: Partial<RunView> = {}): RunView => ({
  runId: '11111111-1111-4111-8111-111111111111',
  sessionId: '11111111-1111-4111-8111-111111111111',
  agent: 'ticker',
  node: 'local',
  status: 'running',
  waitsFor: 'its outcome from node local',
  code: null,
  settledBy: null,
  submittedBy: 'user:ada',
  submittedAt: at(60_000),
  dispatchedAt: at(59_900),
  startedAt: at(59_800),
  endedAt: null,
  updatedAt: at(59_800),
  generation: 1,
  attempts: 1,
  attemptsMax: 1,
  runtime: 'cli',
  receipts: { sentAt: null, ackedAt: null, observedAt: null, thread: null, turn: null },
  exitCode: null,
  output: null,
  stop: null,
  unknown: null,
  lateEvidence: 0,
  alarming: false,
  sequence: 1,
  ...change,
});

/** A system in which nothing is slow. */
export const healthy = (): SystemView => ({
  at: at(0),
  readiness: {
    ready: true,
    checks: Object.fromEntries(
      ['nats', 'commands', 'queries', 'postgres', 'projections', 'durability'].map((name) => [
        name,
        { ok: true, detail: 'answers' },
      ]),
    ),
    durability: {
      survives: 'process-death',
      explanation: 'what is accepted survives the death of any process',
    },
    projectionLagMs: 0,
  },
  requests: [{ route: 'GET /v1/runs', count: 40, p50Ms: 4, p99Ms: 18 }],
  windows: found({
    leaseMs: 6_000,
    renewalMs: 2_000,
    dispatchMs: 10_000,
    sweepMs: 1_000,
    ackWaitMs: 5_000,
  }),
  projections: found([projection(), projection({ name: 'nodes' })]),
  holders: found([
    { role: 'projector' as const, of: 'runs', holder: 'projector-7-a1', heardMsAgo: 40 },
    { role: 'reconciler' as const, of: 'runs', holder: 'reconciler-8-b2', heardMsAgo: 1_900 },
  ]),
  sagas: found([saga(), saga({ name: 'sessions' }), saga({ name: 'stops' })]),
  nodes: found([node()]),
  broker: found({
    serverVersion: '2.12.1',
    roundTripMs: 1,
    streams: [
      { name: 'HF_EVENTS', lastSequence: 1_000, bytes: 90_000, copies: 1, copiesBehind: 0 },
    ],
  }),
  database: found({ roundTripMs: 2 }),
  oldestRuns: found([run()]),
});
