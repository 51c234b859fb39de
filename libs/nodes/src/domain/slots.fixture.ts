import type { NodeEvent } from './node.events.js';

export const nodeId = 'node-1';
export const spawnId = 'spawn-1';
export const token = 'a1'.repeat(16);
export const now = 1_000;
export const at = now;
export const until = 31_000;
export const snapshot = { nodeName: 'builder', agentName: 'agent-1', harness: 'claude' };

/** A node with one slot. */
export const description = {
  name: 'builder',
  capabilities: ['linux'],
  capacity: 1,
  maxRuns: 16,
  agents: [],
  harnesses: ['claude'],
};

export const joined: NodeEvent = {
  type: 'NodeJoined',
  data: { nodeId, at, ...description, journalId: 'journal-1' },
};
export const left: NodeEvent = { type: 'NodeLeft', data: { nodeId, at, reason: 'over' } };
export const drained: NodeEvent = {
  type: 'NodeDrained',
  data: { nodeId, at, reason: 'repair', actor: 'principal-1' },
};
export const returned: NodeEvent = {
  type: 'NodeReturned',
  data: { nodeId, at, reason: 'repair', actor: 'principal-1' },
};
export const reserved = (round = 1, of = spawnId): NodeEvent => ({
  type: 'SlotReserved',
  data: { nodeId, at, spawnId: of, round, token, snapshot, until },
});

export const MEMBER: readonly NodeEvent[] = [joined];
export const HELD: readonly NodeEvent[] = [...MEMBER, reserved()];
