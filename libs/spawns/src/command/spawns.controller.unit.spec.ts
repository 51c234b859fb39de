import 'reflect-metadata';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { Role } from '#access/contract';
import { RuleViolation } from '#kernel';
import { STRICT_SPAWN_CONTRACT } from '../contract/index.js';
import { CreateSpawnCommand, ReplaySpawnCommand, StrictInvokeCommand } from './spawn.commands.js';
import { SpawnsController } from './spawns.controller.js';

const GENERIC = { agentName: 'reviewer', harness: 'claude', task: 'Read it.' };
const STRICT = {
  spawn_contract: STRICT_SPAWN_CONTRACT,
  node_id: 'node-1',
  node_name: 'builder',
  agent_name: 'reviewer',
  harness: 'claude',
  task: 'Read it.',
};
const REPLAY = { spawn_contract: STRICT_SPAWN_CONTRACT };

/** What came through the door. */
const executed: unknown[] = [];
beforeEach(() => void (executed.length = 0));

/** A door with a caller of this role before it. */
const doorFor = (role: Role): SpawnsController =>
  new SpawnsController(
    {
      execute: async (command: unknown) => {
        executed.push(command);
        return { value: {}, replayed: false };
      },
    } as unknown as CommandBus,
    { authenticate: async () => ({ principal: `${role}:ada`, role, workspace: 'main' }) },
  );
const withKey = (key: string | undefined) => ({
  tokens: [],
  get: (header: string) => (header === 'idempotency-key' ? key : undefined),
});
const KEY = withKey('key-1');

type Door = 'strictInvoke' | 'replay' | 'create';
const refusalAt = async (door: Door, body: unknown, context = KEY, role: Role = 'agent') => {
  try {
    await doorFor(role)[door](body, context);
  } catch (error) {
    if (error instanceof RuleViolation) return error.code;
    throw error;
  }
  return 'let in';
};

describe('the strict doors', () => {
  it('let a strict call of an agent in, and its replay (@SP-01, @SP-02)', async () => {
    expect(await refusalAt('strictInvoke', STRICT)).toBe('let in');
    expect(await refusalAt('replay', REPLAY)).toBe('let in');
    const [invoke, replay] = executed;
    expect(invoke).toBeInstanceOf(StrictInvokeCommand);
    expect(invoke).toMatchObject({ key: 'key-1', request: STRICT, caller: { role: 'agent' } });
    expect(replay).toBeInstanceOf(ReplaySpawnCommand);
  });

  it.each<[Door, object, Role]>([
    ['strictInvoke', STRICT, 'operator'],
    ['strictInvoke', STRICT, 'viewer'],
    ['replay', REPLAY, 'operator'],
    ['replay', REPLAY, 'viewer'],
  ])('%s is no door for a key that is not an agent (@SP-03)', async (door, body, role) => {
    expect(await refusalAt(door, body, KEY, role)).toBe('agent_token_required');
    expect(executed).toEqual([]);
  });

  it.each<[Door, object]>([
    ['strictInvoke', STRICT],
    ['replay', REPLAY],
  ])('%s asks for a key (@SP-04)', async (door, body) => {
    expect(await refusalAt(door, body, withKey(undefined))).toBe('idempotency_key_required');
    expect(await refusalAt(door, body, withKey(' '))).toBe('invalid_idempotency_key');
    expect(executed).toEqual([]);
  });

  it.each<[string, object]>([
    ['a field that nobody knows (@SP-05)', { colour: 'red' }],
    [
      'the proof that only the server gives (@SP-06)',
      { spawn_contract_applied: STRICT_SPAWN_CONTRACT },
    ],
    ['another contract (@SP-01)', { spawn_contract: 'relay.spawn.invoke.logical/2' }],
    ['no contract (@SP-01)', { spawn_contract: undefined }],
  ])('refuse %s', async (_what, more) => {
    expect(await refusalAt('strictInvoke', { ...STRICT, ...more })).toBe('invalid_request');
    expect(await refusalAt('replay', { ...REPLAY, ...more })).toBe('invalid_request');
    expect(executed).toEqual([]);
  });
});

describe('the generic door', () => {
  it.each<Role>(['agent', 'operator'])('lets the call of an %s in', async (role) => {
    expect(await refusalAt('create', GENERIC, KEY, role)).toBe('let in');
    expect(executed[0]).toBeInstanceOf(CreateSpawnCommand);
  });

  it.each([
    ['in its spelling', { spawn_contract: STRICT_SPAWN_CONTRACT }],
    ['in the spelling of this door', { spawnContract: STRICT_SPAWN_CONTRACT }],
    ['with whatever value', { spawn_contract: null }],
    ['with all that a strict call has', STRICT],
  ])('refuses the strict contract, %s (@SP-01, @SP-07, @SP-08)', async (_how, more) => {
    expect(await refusalAt('create', { ...GENERIC, ...more })).toBe('strict_contract_route_only');
    expect(executed).toEqual([]);
  });

  it.each([
    ['a proof', { spawn_contract_applied: STRICT_SPAWN_CONTRACT }],
    ['a node', { nodeId: 'node-1' }],
    ['a node, as a strict call names it', { node_id: 'node-1' }],
  ])('takes %s for a field that nobody knows (@SP-06, @SP-08)', async (_what, more) => {
    expect(await refusalAt('create', { ...GENERIC, ...more })).toBe('invalid_request');
    expect(executed).toEqual([]);
  });
});
