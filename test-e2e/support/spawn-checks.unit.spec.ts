import { describe, expect, it } from '@jest/globals';
import type { Commit } from '#event-store';
import { openSpawns, spawnViolationsIn, type SpawnFacts } from './spawn-checks.js';

const spawnId = 'spawn-1';
const at = 1_000;
const base = { spawnId, at };
const place = { nodeId: 'n1', ...base, round: 1 };
const frame = { workspace: 'main', node: 'n1', journalId: 'j1', work: spawnId, generation: 1 };

/** One event, on the aggregate that it is of. */
interface Fact {
  readonly of: string;
  readonly type: string;
  readonly data: object;
}
const ofNode = (type: string, data: object, node = 'n1'): Fact => ({
  of: `node/${node}`,
  type,
  data: { nodeId: node, at, ...data },
});
const ofSpawn = (type: string, data: object = {}): Fact => ({
  of: `spawn/${spawnId}`,
  type,
  data: { ...base, ...data },
});

const described = { name: 'builder', capabilities: [], capacity: 1, maxRuns: 1, agents: [] };
const joined = ['n1', 'n2'].map((node) =>
  ofNode('NodeJoined', { ...described, journalId: 'j1', harnesses: ['ledger'] }, node),
);
const claimed = [
  ofSpawn('SpawnClaimed', { kind: 'strict', nodeId: 'n1', nodeName: 'builder', epoch: 1 }),
  ofSpawn('SpawnPlacementIntended', { round: 1, token: 't', nodeId: 'n1', until: 2_000 }),
];
const reserved = ofNode('SlotReserved', { ...place, token: 't', snapshot: {}, until: 2_000 });
const released = ofNode('SlotReleased', { ...place, until: 2_000, reason: 'over' });
const dispatched = ofSpawn('SpawnDispatched', {
  round: 1,
  generation: 1,
  nodeId: 'n1',
  journalId: 'j1',
  epoch: 1,
});
const taken = ofSpawn('SpawnFrameClaimed', { generation: 1, journalId: 'j1', incarnation: 'i' });
const completed = ofSpawn('SpawnCompleted', { generation: 1, workerCwd: null });
const failed = (code: string): Fact => ofSpawn('SpawnFailed', { code, reason: 'none' });
const ended: Fact = { of: `agent/${spawnId}`, type: 'AgentEnded', data: { name: spawnId } };

const commitsOf = (facts: readonly Fact[]): readonly Commit[] => {
  const last = new Map<string, number>();
  return facts.map(({ of, type, data }, index) => {
    const [aggregate = '', id = ''] = of.split('/');
    const previous = last.get(of) ?? 0;
    last.set(of, index + 1);
    const ref = { aggregate, workspace: 'main', id };
    const metadata = { command: 'Test', actor: 'test' };
    const rest = { commandId: 'c', bodyHash: '', schema: 1, storedAt: at, metadata };
    return { ref, previous, revision: index + 1, events: [{ type, data }], ...rest };
  });
};
const whole = [...joined, ...claimed, reserved, dispatched, taken, completed, ended, released];
const factsOf = (facts: readonly Fact[], over: Partial<SpawnFacts> = {}): SpawnFacts => ({
  commits: commitsOf(facts),
  frames: [frame],
  started: { n1: [spawnId], n2: [] },
  ...over,
});

describe('the checks of spawns', () => {
  it('find nothing in a spawn that came to its end', () => {
    expect(spawnViolationsIn(factsOf(whole))).toEqual([]);
    expect(openSpawns(commitsOf(whole))).toEqual([]);
  });

  it.each<[string, SpawnFacts, RegExp]>([
    ['two orders', factsOf(whole, { frames: [frame, frame] }), /sent 2 times/],
    ['two agents', factsOf(whole, { started: { n1: [spawnId, spawnId] } }), /has 2 agents/],
    ['an order to the twin', factsOf(whole, { frames: [{ ...frame, node: 'n2' }] }), /was on n2/],
    ['an agent on the twin', factsOf(whole, { started: { n2: [spawnId] } }), /was on n2/],
    [
      'a place on the twin',
      factsOf([...whole, ofNode('SlotReserved', { ...place, nodeId: 'n2' }, 'n2')]),
      /was on n2/,
    ],
    [
      'an agent of what was certainly not started',
      factsOf([...joined, ...claimed, reserved, dispatched, failed('never_received'), released]),
      /has an agent/,
    ],
    [
      'a second place while there is one',
      factsOf([...joined, ...claimed, reserved, ...whole.slice(4)]),
      /second place/,
    ],
    [
      'more places than there are',
      factsOf([...whole.slice(0, -1), ofNode('SlotReserved', { ...place, spawnId: 'other' })]),
      /more places/,
    ],
    ['a place that nobody gave back', factsOf(whole.slice(0, -1)), /held by nobody/],
    ['an agent without a place', factsOf(whole.filter((fact) => fact !== ended)), /is not held/],
    [
      'an answer that changes',
      factsOf([...whole, failed('agent_not_started')]),
      /was completed, and then failed/,
    ],
    [
      'two who decided on the same past',
      {
        ...factsOf(whole),
        commits: commitsOf(whole).map((commit) => ({ ...commit, previous: 0 })),
      },
      /follows/,
    ],
  ])('find %s', (_what, facts, sign) => {
    expect(spawnViolationsIn(facts).join('\n')).toMatch(sign);
  });

  it.each<[string, readonly Fact[]]>([
    ['a claim', [...joined, ...claimed]],
    ['an order that nobody took', [...joined, ...claimed, reserved, dispatched]],
    ['an agent that lives', whole.slice(0, -2)],
  ])('wait for %s', (_what, facts) => {
    expect(openSpawns(commitsOf(facts))).toHaveLength(1);
  });
});
