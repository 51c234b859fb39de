import { describe, expect, it } from '@jest/globals';
import type { SpawnBrief } from '#spawns/contract';
import type { SlotRow } from '../projection/index.js';
import { toSlotView } from './slot-view.js';

const row: SlotRow = {
  workspace: 'main',
  nodeId: 'n1',
  spawnId: 's1',
  state: 'reserved',
  round: 2,
  agentName: 'reviewer',
  harness: 'cli',
  since: 1_000,
  sequence: 1,
};
const pending: SpawnBrief = {
  spawnId: 's1',
  status: 'pending',
  unanswered: false,
  agent: null,
  resolution: null,
  isStopping: false,
};
const occupied: SlotRow = { ...row, state: 'occupied' };
const runs: SpawnBrief = { ...pending, status: 'completed', agent: 'alive' };
const unknown: SpawnBrief = { ...pending, status: 'failed', unanswered: true };

describe('a place of a node that is taken', () => {
  it('is whole', () =>
    expect(toSlotView(row, pending)).toStrictEqual({
      spawnId: 's1',
      agentName: 'reviewer',
      harness: 'cli',
      state: 'reserved',
      round: 2,
      since: '1970-01-01T00:00:01.000Z',
      why: 'reserved for reviewer, not yet started',
    }));

  it.each<[string, SlotRow, SpawnBrief | undefined]>([
    ['held for reviewer, whose spawn is not known here', row, undefined],
    ['reserved for reviewer, not yet started', row, { ...pending, status: 'dispatched' }],
    ['reserved for reviewer, which may be starting', row, { ...pending, status: 'claimed' }],
    ['agent reviewer runs', row, runs],
    ['agent reviewer runs', occupied, runs],
    ['agent reviewer is to end', occupied, { ...runs, isStopping: true }],
    [
      'agent reviewer has ended, and its place is being given back',
      occupied,
      { ...runs, agent: 'ended', isStopping: true },
    ],
    [
      'reviewer was not started, and its place is being given back',
      row,
      { ...pending, status: 'releasing' },
    ],
    [
      'reviewer was not started, and its place is being given back',
      row,
      { ...pending, status: 'failed' },
    ],
    [
      'nobody could say whether reviewer was started: ask an operator or wait for the node',
      row,
      unknown,
    ],
    [
      'agent reviewer runs, though its spawn was given up: an operator stops it, or adopts it',
      row,
      { ...unknown, agent: 'alive' },
    ],
    ['agent reviewer is to end', row, { ...unknown, resolution: 'stop', isStopping: true }],
    [
      'agent reviewer runs',
      occupied,
      { ...unknown, unanswered: false, agent: 'alive', resolution: 'adopt' },
    ],
  ])('says: %s', (why, slot, spawn) => expect(toSlotView(slot, spawn).why).toBe(why));
});
