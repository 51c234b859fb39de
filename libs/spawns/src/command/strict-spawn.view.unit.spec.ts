import { describe, expect, it } from '@jest/globals';
import { STRICT_SPAWN_CONTRACT } from '../contract/index.js';
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
  claimed,
  dispatched,
  otherNode,
  placedByClaim,
  seenAlive,
  spawnAfter,
} from '../domain/spawn.fixture.js';
import { strictSpawnView } from './strict-spawn.view.js';

const viewOf = (history: readonly SpawnEvent[]) => strictSpawnView(spawnAfter(history));

/** Claimed as stored, but for this. */
const storedWith = (request: object, place: object = {}): readonly SpawnEvent[] => [
  { type: 'SpawnClaimed', data: { ...claimed.data, ...request } },
  { type: 'SpawnPlacementIntended', data: { ...placedByClaim.data, ...place } },
];

describe('the answer of a strict spawn', () => {
  it('before its dispatch names the node that it is bound to, and no other (@SP-29)', () => {
    expect(viewOf(PENDING)).toEqual({
      invocation_id: 'spawn-1',
      status: 'pending',
      handler_node_id: 'node-1',
      handler_node_name: 'builder',
      dispatched_node_id: null,
      dispatched_node_name: null,
      dispatch_generation: 0,
      dispatched_at: null,
      retry_after_at: null,
      worker_cwd: null,
      failure_code: null,
      waits_for: null,
      spawn_contract_applied: STRICT_SPAWN_CONTRACT,
    });
  });

  it('after it is what was committed then: both nodes, and times of one clock reading (@SP-56, @SP-61)', () => {
    expect(viewOf(DISPATCHED)).toMatchObject({
      status: 'dispatched',
      handler_node_id: 'node-1',
      handler_node_name: 'builder',
      dispatched_node_id: 'node-1',
      dispatched_node_name: 'builder',
      dispatch_generation: 1,
      dispatched_at: '1970-01-01T00:00:01.000Z',
      retry_after_at: '1970-01-01T00:00:32.000Z',
      failure_code: null,
    });
  });

  it.each([
    ['pending', null, PENDING],
    ['pending', null, RELEASING],
    ['dispatched', null, DISPATCHED],
    ['dispatched', null, CLAIMED],
    ['completed', null, COMPLETED],
    ['failed', 'never_received', NEVER_RECEIVED],
    ['failed', 'agent_not_started', NOT_STARTED],
    ['failed', 'never_dispatched_expired', EXPIRED],
    ['failed', 'spawn_outcome_unknown', UNKNOWN],
    ['failed', 'spawn_outcome_unknown', [...UNKNOWN, seenAlive]],
  ])('says %s with the code %s: what is stored, and nothing else (@SP-66)', (status, code, all) => {
    expect(viewOf(all)).toMatchObject({ status, failure_code: code });
  });

  it('says of an unknown outcome no more than what was committed at its dispatch (@SP-61, @SP-71)', () => {
    const { status: _, failure_code: __, ...atTheEnd } = viewOf(UNKNOWN);
    const { status: ___, failure_code: ____, ...atTheDispatch } = viewOf(DISPATCHED);
    expect(atTheEnd).toEqual(atTheDispatch);
  });

  it('says what a pending one waits for, and of no other (@SP-34)', () => {
    const next = { kind: 'wait', waitsFor: 'a free place on node builder' } as const;
    expect(strictSpawnView(spawnAfter(PENDING), next).waits_for).toBe(next.waitsFor);
    expect(strictSpawnView(spawnAfter(DISPATCHED), next).waits_for).toBeNull();
  });
});

describe('the proof that a contract was applied', () => {
  it.each([
    ['pending', PENDING],
    ['dispatched', DISPATCHED],
    ['completed', COMPLETED],
    ['unknown', UNKNOWN],
  ])(
    'is what is stored, from the claim to the end: %s (@SP-24, @SP-25, @SP-28)',
    (_status, all) => {
      expect(viewOf(all).spawn_contract_applied).toBe(STRICT_SPAWN_CONTRACT);
    },
  );

  it.each([
    ['is a generic one', GENERIC_AGAIN],
    ['names no contract', storedWith({ contract: null })],
    ['names another contract', storedWith({ contract: 'relay.spawn.invoke.logical/2' })],
    ['is of another kind', storedWith({ kind: 'generic' })],
    ['names no node', storedWith({ nodeId: null })],
    ['names its node by its id alone', storedWith({ nodeName: null })],
    ['is placed elsewhere', storedWith({}, { nodeId: otherNode })],
    ['was dispatched elsewhere', [...PENDING, dispatched({ nodeId: otherNode })]],
  ])('is not given to a stored claim that %s (@SP-22, @SP-25)', (_what, all) => {
    expect(Object.keys(viewOf(all))).not.toContain('spawn_contract_applied');
  });
});
