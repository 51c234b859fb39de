import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { STRICT_SPAWN_CONTRACT } from '#spawns/contract';
import {
  CreateSpawnRequest,
  PATH_BYTES_MAX,
  SpawnReplayRequest,
  StrictInvokeRequest,
  TASK_BYTES_MAX,
  validate,
} from './index.js';

const STRICT = {
  spawn_contract: STRICT_SPAWN_CONTRACT,
  node_id: 'node-1',
  node_name: 'builder',
  agent_name: 'reviewer',
  harness: 'claude',
  task: 'Read it.',
};
const REPLAY = { spawn_contract: STRICT_SPAWN_CONTRACT };
const GENERIC = { agentName: 'reviewer', harness: 'claude', task: 'Read it.' };

const broken = (requestClass: new () => object, raw: unknown): readonly string[] => {
  const validated = validate(requestClass, raw);
  return validated.ok ? [] : validated.problems.map(({ path, rule }) => `${path}:${rule}`);
};

/** Nobody but the server says these, and no field beside those of a request is known. */
const STRANGERS = [
  'spawn_contract_applied',
  'invocation_id',
  'status',
  'handler_node_id',
  'dispatched_node_id',
  'dispatch_generation',
  'placement_token',
  'action_id',
  'colour',
];

describe('a strict call', () => {
  it('is taken as it was sent, with and without what may be left out', () => {
    expect(broken(StrictInvokeRequest, STRICT)).toEqual([]);
    const whole = { ...STRICT, directory: '/work', verify_ready: false, worker_cwd: 'here' };
    expect(broken(StrictInvokeRequest, whole)).toEqual([]);
  });

  it.each(STRANGERS)('with the field %s is refused (@SP-05, @SP-06)', (field) => {
    const problem = [`${field}:whitelistValidation`];
    expect(broken(StrictInvokeRequest, { ...STRICT, [field]: 'x' })).toEqual(problem);
    expect(broken(SpawnReplayRequest, { ...REPLAY, [field]: 'x' })).toEqual(problem);
  });

  it.each([
    ['spawn_contract', 'isIn'],
    ['node_id', 'matches'],
    ['node_name', 'utf8Text'],
    ['agent_name', 'matches'],
    ['harness', 'matches'],
    ['task', 'utf8Text'],
  ])('names its %s', (field, rule) => {
    const without = Object.fromEntries(Object.entries(STRICT).filter(([name]) => name !== field));
    expect(broken(StrictInvokeRequest, without)).toEqual([`${field}:${rule}`]);
  });

  it.each<[string, object, string]>([
    ['another contract', { spawn_contract: 'relay.spawn.invoke.logical/2' }, 'spawn_contract:isIn'],
    ['a node that no subject can hold', { node_id: 'a.b' }, 'node_id:matches'],
    ['every node', { node_id: '*' }, 'node_id:matches'],
    ['a directory that is relative', { directory: 'work' }, 'directory:matches'],
    ['no directory, said with null', { directory: null }, 'directory:matches'],
    ['a readiness that is a text', { verify_ready: 'true' }, 'verify_ready:isBoolean'],
    [
      'a path that is too long',
      { worker_cwd: 'x'.repeat(PATH_BYTES_MAX + 1) },
      'worker_cwd:tooManyBytes',
    ],
    ['a task that is too long', { task: 'x'.repeat(TASK_BYTES_MAX + 1) }, 'task:tooManyBytes'],
  ])('with %s is refused', (_what, more, problem) => {
    expect(broken(StrictInvokeRequest, { ...STRICT, ...more })).toEqual([problem]);
    expect(broken(SpawnReplayRequest, { ...REPLAY, ...more })).toEqual([problem]);
  });
});

describe('a generic call', () => {
  it('names no node: it is placed (@SP-08, @SP-09)', () => {
    expect(broken(CreateSpawnRequest, { ...GENERIC, capabilities: ['linux'] })).toEqual([]);
    expect(broken(CreateSpawnRequest, { ...GENERIC, nodeId: 'node-1' })).toEqual([
      'nodeId:whitelistValidation',
    ]);
  });

  it.each(['spawn_contract', 'spawnContract', 'spawn_contract_applied'])(
    'with the field %s is refused (@SP-06, @SP-07)',
    (field) => {
      expect(broken(CreateSpawnRequest, { ...GENERIC, [field]: STRICT_SPAWN_CONTRACT })).toEqual([
        `${field}:whitelistValidation`,
      ]);
    },
  );
});
