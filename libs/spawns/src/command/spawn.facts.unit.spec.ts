import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { SpawnReplayRequest, StrictInvokeRequest, accept, validate } from '#contracts/requests';
import { WorkspaceKeys, fingerprint, idOf } from '#platform';
import { STRICT_SPAWN_CONTRACT } from '../contract/index.js';
import { SPAWN_ACTION, boundFacts, repeatedFacts } from './spawn.facts.js';

const SENT = {
  spawn_contract: STRICT_SPAWN_CONTRACT,
  node_id: 'node-1',
  node_name: 'builder',
  agent_name: 'reviewer',
  harness: 'claude',
  task: 'Read it.',
  directory: '/work',
  verify_ready: true,
  worker_cwd: '/work/here',
};
/** Of the work itself: each in turn is another request. */
const CHANGED: readonly (readonly [string, object])[] = [
  ['node, by its id', { node_id: 'node-2' }],
  ['node, by its name', { node_name: 'Builder' }],
  ['agent', { agent_name: 'writer' }],
  ['harness', { harness: 'codex' }],
  ['task', { task: 'Read it. ' }],
  ['directory', { directory: '/work/' }],
  ['demand for readiness', { verify_ready: false }],
];

const key = new WorkspaceKeys(new Uint8Array(32).fill(7)).keyOf('main');
const factsOf = (sent: object) => boundFacts(accept(validate(StrictInvokeRequest, sent)));
const printOf = (sent: object) => fingerprint(key, factsOf(sent));

describe('the facts of a strict call', () => {
  it('are stored word for word: the contract, where, and what (@SP-15)', () => {
    expect(factsOf(SENT)).toEqual({
      contract: STRICT_SPAWN_CONTRACT,
      nodeId: 'node-1',
      nodeName: 'builder',
      agentName: 'reviewer',
      harness: 'claude',
      task: 'Read it.',
      directory: '/work',
      verifyReady: true,
    });
  });

  it.each(CHANGED)('tell another %s from the same call (@SP-15, @SP-17)', (_what, changed) => {
    expect(printOf({ ...SENT, ...changed })).not.toBe(printOf(SENT));
  });

  it('are the same wherever its agent comes to work (@SP-16)', () => {
    const { worker_cwd: _, ...elsewhere } = SENT;
    expect(printOf({ ...SENT, worker_cwd: '/elsewhere' })).toBe(printOf(SENT));
    expect(printOf(elsewhere)).toBe(printOf(SENT));
  });

  it('are the same when a default is spelled out', () => {
    const { directory: _, verify_ready: __, ...bare } = SENT;
    expect(printOf({ ...bare, verify_ready: false })).toBe(printOf(bare));
  });
});

describe('what a replay repeats of its call', () => {
  const repeated = (more: object) =>
    repeatedFacts(
      accept(validate(SpawnReplayRequest, { spawn_contract: STRICT_SPAWN_CONTRACT, ...more })),
    );

  it('is nothing but the contract, when it repeats nothing else', () => {
    expect(repeated({})).toEqual({ contract: STRICT_SPAWN_CONTRACT });
  });

  it.each(CHANGED)('is compared with what is stored: another %s (@SP-17)', (_what, changed) => {
    const facts = Object.entries(repeated(changed));
    const stored = new Map<string, unknown>(Object.entries(factsOf(SENT)));
    expect(facts.filter(([name, fact]) => stored.get(name) !== fact)).toHaveLength(1);
  });

  it('is not where its agent comes to work (@SP-16)', () => {
    expect(repeated({ worker_cwd: '/elsewhere' })).toEqual(repeated({}));
  });
});

describe('the claim of a call', () => {
  const claimOf = (workspace: string, principal: string, action: string, name: string) =>
    idOf(workspace, principal, action, name);
  const one = claimOf('main', 'agent:ada', SPAWN_ACTION, 'key-1');

  it.each([
    ['workspace (@SP-15, @SP-19, @SP-70)', claimOf('other', 'agent:ada', SPAWN_ACTION, 'key-1')],
    ['caller (@SP-15, @SP-18, @SP-70)', claimOf('main', 'agent:bob', SPAWN_ACTION, 'key-1')],
    ['action (@SP-15)', claimOf('main', 'agent:ada', 'submit', 'key-1')],
    ['key (@SP-15, @SP-20)', claimOf('main', 'agent:ada', SPAWN_ACTION, 'key-2')],
  ])('is another one with another %s (@SP-23)', (_what, other) => {
    expect(other).not.toBe(one);
  });
});
