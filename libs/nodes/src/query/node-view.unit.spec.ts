import { describe, expect, it } from '@jest/globals';
import type { SlotView } from '#contracts';
import type { LeaseVerdict } from '../contract/index.js';
import type { NodeRow } from '../projection/index.js';
import { toNodeView } from './node-view.js';

const row: NodeRow = {
  workspace: 'main',
  nodeId: 'n1',
  name: 'a node',
  membership: 'member',
  capabilities: ['gpu'],
  capacity: 3,
  maxRuns: 16,
  agents: ['echo'],
  harnesses: ['cli', 'claude'],
  drainReason: null,
  drainActor: null,
  drainedAt: null,
  journalId: 'j1',
  incarnation: 'i1',
  joinedAt: 1_000,
  startedAt: 1_000,
  leftAt: null,
  updatedAt: 1_000,
  sequence: 1,
};
const alive: LeaseVerdict = {
  kind: 'alive',
  ageMs: 500,
  lease: {
    journalId: 'j1',
    incarnation: 'i1',
    recovering: true,
    openCount: 1,
    openHash: '',
    running: 1,
    maxRuns: 16,
    waiting: 2,
    notReady: ['claude'],
  },
};
const slots: readonly SlotView[] = [
  {
    spawnId: 's1',
    agentName: 'reviewer',
    harness: 'cli',
    state: 'occupied',
    round: 1,
    since: '1970-01-01T00:00:02.000Z',
    why: 'agent reviewer runs',
  },
];
const unheard = { recovering: false, running: 0, waiting: 0 };

describe('a node as callers see it', () => {
  it('is whole', () => {
    expect(toNodeView(row, slots, alive, 10_000)).toStrictEqual({
      id: 'n1',
      name: 'a node',
      membership: 'member',
      liveness: 'alive',
      recovering: true,
      lastHeardAt: '1970-01-01T00:00:09.500Z',
      capabilities: ['gpu'],
      capacity: 3,
      maxRuns: 16,
      running: 1,
      waiting: 2,
      agents: ['echo'],
      harnesses: ['cli', 'claude'],
      notReady: ['claude'],
      drained: null,
      slots,
      journalId: 'j1',
      incarnation: 'i1',
      joinedAt: '1970-01-01T00:00:01.000Z',
    });
  });

  it('is out of service: why, by whom, since when', () => {
    const out = { ...row, drainReason: 'repair', drainActor: 'user:ada', drainedAt: 2_000 };
    expect(toNodeView(out, [], alive, 10_000).drained).toStrictEqual({
      reason: 'repair',
      actor: 'user:ada',
      since: '1970-01-01T00:00:02.000Z',
    });
  });

  it.each<[LeaseVerdict, object]>([
    [
      { kind: 'expired', ageMs: 9_000 },
      { liveness: 'silent', lastHeardAt: '1970-01-01T00:00:01.000Z' },
    ],
    [{ kind: 'never' }, { liveness: 'silent', lastHeardAt: null }],
    [
      { kind: 'cannot-tell', why: 'w' },
      { liveness: 'unclear', lastHeardAt: null },
    ],
  ])('%j', (verdict, seen) => {
    const { liveness, lastHeardAt, recovering, running, waiting } = toNodeView(
      row,
      [],
      verdict,
      10_000,
    );
    expect({ liveness, lastHeardAt, recovering, running, waiting }).toEqual({
      ...unheard,
      ...seen,
    });
  });
});
