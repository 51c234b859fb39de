import { describe, expect, it } from '@jest/globals';
import { fold } from '#kernel';
import { initialNode, type NodeEvent, type NodeState } from '#nodes/domain';
import { foldForHint, hintOf } from './node-hint.projector.js';

const base = { nodeId: 'n1', at: 1_000 };
const description = {
  name: 'builder',
  capabilities: ['linux'],
  capacity: 2,
  maxRuns: 4,
  agents: [],
  harnesses: ['claude'],
};
const joined: NodeEvent = {
  type: 'NodeJoined',
  data: { ...base, ...description, journalId: 'journal-1' },
};
const reserved = (spawnId: string): NodeEvent => ({
  type: 'SlotReserved',
  data: {
    ...base,
    spawnId,
    round: 1,
    token: 't',
    snapshot: { nodeName: 'builder', agentName: 'a', harness: 'claude' },
    until: 2_000,
  },
});
const occupied: NodeEvent = { type: 'SlotOccupied', data: { ...base, spawnId: 's1', round: 1 } };
const released = (spawnId: string): NodeEvent => ({
  type: 'SlotReleased',
  data: { ...base, spawnId, round: 1, until: 2_000, reason: 'ended' },
});
const by = { reason: 'repair', actor: 'user:ada' };
const drained: NodeEvent = { type: 'NodeDrained', data: { ...base, ...by } };
const returned: NodeEvent = { type: 'NodeReturned', data: { ...base, ...by } };
const left: NodeEvent = { type: 'NodeLeft', data: { ...base, reason: 'gone' } };
const replaced: NodeEvent = {
  type: 'NodeJournalReplaced',
  data: { ...base, journalId: 'journal-2', previous: 'journal-1' },
};
const changed: NodeEvent = {
  type: 'NodeChanged',
  data: { ...base, ...description, capacity: 1, capabilities: ['gpu'], harnesses: ['codex'] },
};

const after = (events: readonly NodeEvent[]): NodeState =>
  fold(foldForHint, initialNode('n1'), events);
const HINT = {
  nodeId: 'n1',
  harnesses: ['claude'],
  capabilities: ['linux'],
  drained: false,
  free: 2,
};

describe('what is said of a node to those who look for a place', () => {
  it.each([
    ['is as it joined', [joined], HINT],
    ['has a place less for each reservation', [joined, reserved('s1')], { ...HINT, free: 1 }],
    [
      'has none less for an agent that took it',
      [joined, reserved('s1'), occupied],
      { ...HINT, free: 1 },
    ],
    [
      'is never below none',
      [joined, reserved('s1'), reserved('s2'), changed],
      { ...HINT, capabilities: ['gpu'], harnesses: ['codex'], free: 0 },
    ],
    [
      'has the place again that was given back',
      [joined, reserved('s1'), reserved('s2'), released('s1')],
      { ...HINT, free: 1 },
    ],
    ['has no place more when a round is fenced that had none', [joined, released('s1')], HINT],
    ['is drained', [joined, drained], { ...HINT, drained: true }],
    ['is not when it returned', [joined, drained, returned], HINT],
    [
      'is drained still when it left and came again',
      [joined, drained, left, joined],
      { ...HINT, drained: true },
    ],
    [
      'has its agents still when it left and came again',
      [joined, reserved('s1'), left, joined],
      { ...HINT, free: 1 },
    ],
  ])('%s', (_what, events, hint) => {
    expect(hintOf(after(events))).toStrictEqual(hint);
  });

  it.each([
    ['never joined', []],
    ['has left', [joined, left]],
  ])('is nothing when it %s', (_what, events) => {
    expect(hintOf(after(events))).toBe(null);
  });

  it('keeps nothing that grows with time', () => {
    const lives = Array.from({ length: 50 }, (_, index) => {
      const id = `s${String(index)}`;
      return [reserved(id), released(id), replaced];
    });
    const { slots, journals } = after([joined, ...lives.flat()]);
    expect({ slots, journals }).toStrictEqual({ slots: { held: {}, fences: {} }, journals: [] });
  });
});
