import { randomUUID } from 'node:crypto';
import type {
  AgentView,
  NodeView,
  ReadSideSystemView,
  RunDetailView,
  SpawnDetailView,
  TimelineEntryView,
} from '#contracts';
import {
  spawn as completedSpawn,
  unknownSpawn as doubtfulSpawn,
} from '../../dashboard/src/data/spawn.fixture.js';
import { healthy } from '../../dashboard/src/data/system.fixture.js';

/** A moment so many milliseconds ago, as the API says it. */
export const agoText = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** A run that was queued just now; `change` says how it differs from that. */
export const runOf = (change: Partial<RunDetailView> = {}): RunDetailView => {
  const runId = change.runId ?? randomUUID();
  return {
    runId,
    sessionId: runId,
    agent: 'echo',
    node: 'local',
    status: 'queued',
    waitsFor: 'its dispatch to node local',
    code: null,
    settledBy: null,
    submittedBy: 'user:ada',
    submittedAt: agoText(1_000),
    dispatchedAt: null,
    startedAt: null,
    endedAt: null,
    updatedAt: agoText(1_000),
    generation: 0,
    attempts: 0,
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
    prompt: 'Hello',
    ...change,
  };
};

export const runningRun = (change: Partial<RunDetailView> = {}): RunDetailView =>
  runOf({
    status: 'running',
    waitsFor: 'its outcome from node local',
    submittedAt: agoText(9_400),
    dispatchedAt: agoText(9_000),
    startedAt: agoText(8_500),
    generation: 1,
    attempts: 1,
    receipts: { sentAt: agoText(8_400), ackedAt: null, observedAt: null, thread: null, turn: null },
    ...change,
  });

export const completedRun = (change: Partial<RunDetailView> = {}): RunDetailView =>
  runningRun({
    status: 'completed',
    waitsFor: null,
    settledBy: 'node',
    endedAt: agoText(3_000),
    exitCode: 0,
    ...change,
  });

export const unknownRun = (change: Partial<RunDetailView> = {}): RunDetailView =>
  runningRun({
    status: 'unknown',
    waitsFor: 'proof from node local, or an operator; the node is silent',
    code: 'TURN_OUTCOME_UNKNOWN',
    unknown: {
      code: 'TURN_OUTCOME_UNKNOWN',
      witness: 'saga',
      reason: 'The node was asked three times within 3 s, and said nothing.',
      fenced: false,
      since: agoText(5_000),
      lastHeardAt: agoText(9_000),
      advice:
        'It may still run on node local. Bring the node back: its journal settles this by itself.',
    },
    ...change,
  });

/** A strict spawn whose agent was started a while ago. */
export const spawnOf = (change: Partial<SpawnDetailView> = {}): SpawnDetailView =>
  completedSpawn({
    spawnId: randomUUID(),
    nodeId: 'local',
    nodeName: 'local',
    claimedAt: agoText(9_000),
    dispatchedAt: agoText(8_900),
    settledAt: agoText(8_000),
    ...change,
  });

/** One whose agent may be alive. */
export const unknownSpawnOf = (change: Partial<SpawnDetailView> = {}): SpawnDetailView =>
  doubtfulSpawn({
    spawnId: randomUUID(),
    nodeId: 'local',
    nodeName: 'local',
    claimedAt: agoText(60_000),
    settledAt: agoText(20_000),
    ...change,
  });

export const nodeNamed = (id: string, change: Partial<NodeView> = {}): NodeView => ({
  id,
  name: id,
  membership: 'member',
  liveness: 'alive',
  recovering: false,
  lastHeardAt: agoText(700),
  capabilities: [],
  capacity: 4,
  maxRuns: 16,
  running: 2,
  waiting: 0,
  agents: ['echo', 'ticker'],
  harnesses: ['sample'],
  notReady: [],
  drained: null,
  slots: [],
  journalId: 'journal-1',
  incarnation: 'incarnation-1',
  joinedAt: agoText(3_600_000),
  ...change,
});

export const agentNamed = (name: string, node = 'local'): AgentView => ({
  name,
  node,
  status: 'registered',
  runtime: 'cli',
  attempts: 'single',
  capabilities: {
    deduplicatesByKey: false,
    readBackByKey: false,
    interruptible: true,
    outlivesClient: false,
  },
  promptBy: 'argument',
  registeredAt: agoText(3_600_000),
});

/** Events as a run's stream has them: type, how long ago, and what else it says. */
export const timelineOf = (
  runId: string,
  events: readonly (readonly [type: string, agoMs: number, data?: object])[],
): TimelineEntryView[] =>
  events.map(([type, agoMs, data], index) => ({
    sequence: 10 + 2 * index,
    at: agoText(agoMs),
    type,
    actor: index === 0 ? 'user:ada' : 'node:local',
    command: type === 'RunSubmitted' ? 'SubmitRun' : 'ReportRun',
    data: { runId, at: Date.now() - agoMs, ...data },
  }));

/** A system in which nothing is slow, as the read side sees it. */
export const systemNow = (change: Partial<ReadSideSystemView> = {}): ReadSideSystemView => ({
  ...healthy(),
  nodes: { value: [nodeNamed('local')], why: null },
  oldestRuns: { value: [runningRun()], why: null },
  ...change,
});
