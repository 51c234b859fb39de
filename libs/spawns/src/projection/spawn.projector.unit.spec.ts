import { describe, expect, it } from '@jest/globals';
import type { AgentBinding, AgentLifeEvent } from '#agents/contract';
import type { AgentEvent } from '#agents/domain';
import type { SlotEvent } from '#nodes/domain';
import type { SpawnEvent } from '../domain/index.js';
import {
  CLAIMED,
  COMPLETED,
  DISPATCHED,
  EXPIRED,
  GENERIC_AGAIN,
  NEVER_RECEIVED,
  NOT_STARTED,
  PENDING,
  RELEASING,
  UNKNOWN,
  UNKNOWN_UNCLAIMED,
  agentStopRequested,
  claimedGeneric,
  dispatched,
  frameClaimed,
  late,
  nodeId,
  otherNode,
  placed,
  resolved,
  revoked,
  seenAlive,
  seenGone,
  spawnId,
  token,
} from '../domain/spawn.fixture.js';
import type { SpawnRow } from './spawn-view.row.js';
import { projectSlot, projectSpawn, projectSpawnedAgent } from './spawn.projector.js';
import { SPAWN_ROWS } from './spawn.writer.js';

const at = 2_000;
const slot = { nodeId, at, spawnId };
const reserved = (round = 1, of = spawnId, on = nodeId): SlotEvent => ({
  type: 'SlotReserved',
  data: {
    ...slot,
    nodeId: on,
    spawnId: of,
    round,
    token,
    until: 31_000,
    snapshot: { nodeName: 'builder', agentName: 'agent-1', harness: 'claude' },
  },
});
const occupied: SlotEvent = { type: 'SlotOccupied', data: { ...slot, round: 1 } };
const released = (round = 1, on = nodeId): SlotEvent => ({
  type: 'SlotReleased',
  data: { ...slot, nodeId: on, round, until: 31_000, reason: 'given back' },
});
const binding: AgentBinding = {
  name: 'agent-1',
  node: nodeId,
  runtime: 'claude',
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: false,
  outlivesClient: false,
  promptBy: 'argument',
  spawn: spawnId,
};
const registered: AgentEvent = { type: 'AgentRegistered', data: { at, binding } };
const ended: AgentEvent = {
  type: 'AgentEnded',
  data: { name: spawnId, node: nodeId, reason: 'exit 0', at },
};

type Any = SpawnEvent | SlotEvent | AgentEvent;
const isOf =
  (prefix: string) =>
  ({ type }: Any): boolean =>
    type.startsWith(prefix);

/** The row after events of all three streams, in the one order that they have. */
const project = (events: readonly Any[], from?: SpawnRow): SpawnRow | undefined =>
  events.reduce<SpawnRow | undefined>((row, event, index) => {
    const place = { workspace: 'main', sequence: index + 1 };
    if (isOf('Slot')(event)) return projectSlot(row, event as SlotEvent, place) ?? row;
    if (isOf('Agent')(event))
      return projectSpawnedAgent(row, event as AgentEvent satisfies AgentLifeEvent, place) ?? row;
    return projectSpawn(row, event as SpawnEvent, place) ?? row;
  }, from);

/** What the row says beside what its claim said. */
const CLAIM: SpawnRow = {
  workspace: 'main',
  spawnId,
  kind: 'strict',
  agentName: 'agent-1',
  harness: 'claude',
  status: 'pending',
  code: null,
  nodeId,
  nodeName: 'builder',
  capabilities: [],
  directory: null,
  workerCwd: null,
  verifyReady: false,
  requestedBy: 'principal-1',
  claimedAt: 1_000,
  dispatchedAt: null,
  retryAfterAt: null,
  settledAt: null,
  updatedAt: 1_000,
  round: 1,
  generation: 0,
  slot: 'none',
  slotRound: null,
  slotNodeId: null,
  fenced: 0,
  agent: 'none',
  lateAgent: null,
  stopId: null,
  stopRequestedAt: null,
  stopReason: null,
  unknownReason: null,
  unknownWitness: null,
  unknownSince: null,
  unknownLastHeardAt: null,
  resolution: null,
  resolutionNote: null,
  resolutionActor: null,
  resolvedAt: null,
  lateEvidence: 0,
  alarming: false,
  open: true,
  unanswered: false,
  sequence: 2,
};
const after = (events: readonly Any[], over: Partial<SpawnRow>): void => {
  expect(project(events)).toStrictEqual({ ...CLAIM, sequence: events.length, ...over });
};
const SENT = { generation: 1, dispatchedAt: 1_000, retryAfterAt: 32_000 };
const LOST = {
  ...SENT,
  status: 'failed',
  code: 'spawn_outcome_unknown',
  settledAt: 1_000,
  unknownReason: 'silence',
  unknownWitness: 'saga',
  unknownSince: 1_000,
  unknownLastHeardAt: 900,
  unanswered: true,
} as const;

describe('the row of a spawn, by its own stream', () => {
  it('is claimed and placed in one commit', () => after(PENDING, {}));

  it('gives its place up', () => after(RELEASING, { status: 'releasing' }));

  it('is dispatched: from then on it shows the name of that time (@SP-65)', () =>
    after([...PENDING, dispatched({ nodeName: 'as it was called' })], {
      ...SENT,
      status: 'dispatched',
      nodeName: 'as it was called',
    }));

  it('is claimed by its node', () => after(CLAIMED, { ...SENT, status: 'claimed' }));

  it('is completed, and shows where its agent works', () =>
    after(COMPLETED, { ...SENT, status: 'completed', workerCwd: '/work', settledAt: 1_000 }));

  it.each([
    ['was never received', NEVER_RECEIVED, 'never_received', 1_000, SENT],
    ['was not started', NOT_STARTED, 'agent_not_started', 1_000, SENT],
    ['expired (@SP-74)', EXPIRED, 'never_dispatched_expired', 601_000, {}],
  ] as const)('fails when it %s, and waits for its fence', (_what, events, code, settledAt, sent) =>
    after(events, { ...sent, status: 'failed', code, settledAt, updatedAt: settledAt }),
  );

  it('fails as unknown, with its evidence, and waits for an answer (@SP-71)', () =>
    after(UNKNOWN, LOST));

  it('fails as unknown after a restore that may have forgotten its dispatch', () =>
    after(UNKNOWN_UNCLAIMED, { ...LOST, generation: 0, dispatchedAt: null, retryAfterAt: null }));

  it('counts late evidence, and an impossible start stays an alarm (@SP-77)', () =>
    after([...NEVER_RECEIVED, late('lives', 'a', { showsStart: true }), late('gone', 'b')], {
      ...SENT,
      status: 'failed',
      code: 'never_received',
      settledAt: 1_000,
      lateAgent: 'gone',
      lateEvidence: 2,
      alarming: true,
    }));

  it('does not let an agent come back that is gone', () => {
    expect(project([...UNKNOWN, seenGone, seenAlive])?.lateAgent).toBe('gone');
  });

  it('does not take what is said of an older generation for news of the newest', () => {
    const events = [...GENERIC_AGAIN, frameClaimed(2), late('gone', 'x', { generation: 1 })];
    expect(project(events)?.lateAgent).toBeNull();
  });

  it('says who decided what about an agent that may be alive', () =>
    after([...UNKNOWN, resolved('stop')], {
      ...LOST,
      resolution: 'stop',
      resolutionNote: 'looked',
      resolutionActor: 'principal-2',
      resolvedAt: 1_000,
    }));

  it('says that its agent is to end', () =>
    after([...COMPLETED, agentStopRequested], {
      ...SENT,
      status: 'completed',
      workerCwd: '/work',
      settledAt: 1_000,
      stopId: 'stop-1',
      stopRequestedAt: 1_000,
      stopReason: 'enough',
    }));

  it('of a generic one is placed on one node after the other (@SP-73)', () => {
    const generic = { kind: 'generic', capabilities: ['linux'] } as const;
    const nowhere = { ...generic, nodeId: null, nodeName: null };
    after([claimedGeneric], { ...nowhere, round: 0 });
    const elsewhere = { ...placed(2), data: { ...placed(2).data, nodeId: otherNode } };
    const events = [claimedGeneric, placed(1), dispatched(), revoked(), elsewhere];
    after(events, { ...generic, ...SENT, nodeId: otherNode, nodeName: null, round: 2 });
  });

  it('is not made of events whose beginning is missing', () => {
    expect(project([dispatched(), reserved(), registered])).toBeUndefined();
  });

  it('is left as it is by an event of a later version', () => {
    for (const type of ['SpawnPraised', 'AgentPraised']) {
      const later = { type, data: { spawnId, at } } as unknown as Any;
      expect(project([...PENDING, later])).toStrictEqual(project(PENDING));
      expect(project([later])).toBeUndefined();
    }
  });
});

describe('the slot in the row of a spawn', () => {
  const HELD = { slot: 'reserved', slotRound: 1, slotNodeId: nodeId, updatedAt: at } as const;

  it('is reserved', () => after([...PENDING, reserved()], HELD));

  it('becomes the place of its agent', () =>
    after([...COMPLETED, reserved(), occupied], {
      ...SENT,
      ...HELD,
      slot: 'occupied',
      status: 'completed',
      workerCwd: '/work',
      settledAt: 1_000,
    }));

  it('is given back by the release of its round, or of a later one', () => {
    const free = { slot: 'none', slotRound: null, slotNodeId: null, updatedAt: at } as const;
    after([...RELEASING, reserved(), released()], { ...free, status: 'releasing', fenced: 1 });
    after([...RELEASING, reserved(), released(2)], { ...free, status: 'releasing', fenced: 2 });
  });

  it('is kept when an older round is fenced, or this one on another node', () => {
    after([...PENDING, reserved(2), released(1)], { ...HELD, slotRound: 2, fenced: 1 });
    after([...PENDING, reserved(), released(1, otherNode)], { ...HELD, fenced: 1 });
  });

  it('is none of another spawn', () => {
    expect(project([...PENDING, reserved(1, 'another')])).toStrictEqual(project(PENDING));
  });

  it('tells a generic one what its node is called', () => {
    expect(project([claimedGeneric, placed(1), reserved()])?.nodeName).toBe('builder');
  });
});

describe('the agent in the row of a spawn', () => {
  it('lives, and ends', () => {
    expect(project([...COMPLETED, registered])?.agent).toBe('alive');
    expect(project([...COMPLETED, registered, ended])?.agent).toBe('ended');
  });

  it('may have ended before anybody heard that it was started', () => {
    expect(project([...CLAIMED, ended])?.agent).toBe('ended');
  });

  it('is none of a name that a node offers', () => {
    const { spawn: _, ...offered } = binding;
    const ofNode: AgentEvent = { type: 'AgentRegistered', data: { at, binding: offered } };
    expect(project([...COMPLETED, ofNode])?.agent).toBe('none');
  });
});

describe('a spawn is looked at by the reconciler', () => {
  const openAfter = (...events: readonly Any[]): boolean | undefined => project(events)?.open;

  it.each([
    ['pending', PENDING],
    ['releasing', RELEASING],
    ['dispatched', DISPATCHED],
    ['claimed', CLAIMED],
  ])('while it is %s', (_status, events) => expect(openAfter(...events)).toBe(true));

  it('until its agent has its place; then only events move it on', () => {
    expect(openAfter(...COMPLETED, reserved())).toBe(true);
    expect(openAfter(...COMPLETED, reserved(), registered)).toBe(true);
    expect(openAfter(...COMPLETED, reserved(), registered, occupied)).toBe(false);
    expect(openAfter(...COMPLETED, reserved(), occupied, registered)).toBe(false);
  });

  it('while its agent is to end, until that has given its place back', () => {
    const runs = [...COMPLETED, reserved(), registered, occupied];
    expect(openAfter(...runs, agentStopRequested)).toBe(true);
    expect(openAfter(...runs, agentStopRequested, ended)).toBe(true);
    expect(openAfter(...runs, agentStopRequested, ended, released())).toBe(false);
  });

  it.each([
    ['never_received', NEVER_RECEIVED],
    ['agent_not_started', NOT_STARTED],
    ['never_dispatched_expired (@SP-75)', EXPIRED],
  ])('when it failed, %s, until its rounds are fenced', (_code, events) => {
    expect(openAfter(...events)).toBe(true);
    expect(openAfter(...events, reserved())).toBe(true);
    expect(openAfter(...events, reserved(), released())).toBe(false);
    expect(openAfter(...events, released())).toBe(false);
  });

  it('when a held-up reservation came after its fence was taken for the last one', () => {
    expect(openAfter(...EXPIRED, released(), reserved(2))).toBe(true);
  });

  it('when its agent lives and has no place: that must not be', () => {
    expect(openAfter(...COMPLETED, registered, released())).toBe(true);
  });
});

describe('a spawn whose outcome is unknown is listed', () => {
  const listedAfter = (...events: readonly Any[]): boolean | undefined =>
    project(events)?.unanswered;
  const lost = [...PENDING, reserved(), ...UNKNOWN.slice(PENDING.length)];

  it('until its node says that no agent lives', () => {
    expect(listedAfter(...lost)).toBe(true);
    expect(listedAfter(...lost, seenGone)).toBe(false);
    expect(listedAfter(...lost, ended)).toBe(false);
  });

  it('while its agent lives, until an operator adopts it', () => {
    expect(listedAfter(...lost, seenAlive)).toBe(true);
    expect(listedAfter(...lost, seenAlive, resolved('adopt'))).toBe(false);
  });

  it('while it is being stopped', () => {
    expect(listedAfter(...lost, resolved('stop'))).toBe(true);
    expect(listedAfter(...lost, resolved('stop'), seenGone)).toBe(false);
  });

  it('until an operator frees it, or its slot is given back', () => {
    expect(listedAfter(...lost, resolved('free'))).toBe(false);
    expect(listedAfter(...lost, released())).toBe(false);
  });

  it('even when it was placed nowhere before a restore', () => {
    const nowhere = [claimedGeneric, ...UNKNOWN.slice(-1)];
    expect(listedAfter(...nowhere)).toBe(true);
    expect(listedAfter(...nowhere, resolved('free'))).toBe(false);
  });
});

describe('the commits that a row is made of', () => {
  const commit = (aggregate: string, id: string, ...events: readonly Any[]) =>
    ({ ref: { aggregate, workspace: 'main', id }, events, revision: 7 }) as never;

  it('name each spawn once whose slot a node gave or took', () => {
    const events = [reserved(), released(), reserved(1, 'another')];
    expect(SPAWN_ROWS.keysOf(commit('node', nodeId, ...events))).toEqual([
      { workspace: 'main', spawnId },
      { workspace: 'main', spawnId: 'another' },
    ]);
  });

  it('of a node that has other news name none', () => {
    const left = { type: 'NodeLeft', data: { nodeId, at, reason: 'over' } } as unknown as Any;
    expect(SPAWN_ROWS.keysOf(commit('node', nodeId, left))).toEqual([]);
  });

  it('of an agent name its spawn', () => {
    expect(SPAWN_ROWS.keysOf(commit('agent', spawnId, registered, ended))).toEqual([
      { workspace: 'main', spawnId },
    ]);
  });
});
