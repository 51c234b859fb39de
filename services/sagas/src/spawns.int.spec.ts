import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Frame } from '#contracts';
import { RequestClient } from '#nats';
import { NODE_AGGREGATE } from '#nodes/command';
import { systemClock } from '#platform';
import { SPAWN_AGGREGATE } from '#spawns/command';
import { STRICT_SPAWN_CONTRACT } from '#spawns/contract';
import type { ExistingSpawn, SpawnCommand } from '#spawns/domain';
import { waitUntil } from '#testing';
import { SagasWorld, TestNode } from './world.fixture.js';

let world: SagasWorld;
const nodes: TestNode[] = [];
beforeAll(async () => {
  world = await SagasWorld.start();
}, 120_000);
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
afterAll(async () => {
  await world?.stop();
});

/** A node that lives; what one test spawns agents of, no other node offers. */
const nodeWith = async (id: string, harness: string, capacity: number): Promise<TestNode> => {
  const node = new TestNode(id, `journal-of-${id}`);
  await node.start(world.link);
  await world.join(node, { capacity, harnesses: [harness] });
  nodes.push(node);
  return node;
};

const say = async (command: SpawnCommand): Promise<void> => {
  await world.aggregates.execute(
    SPAWN_AGGREGATE,
    { workspace: 'main', id: command.spawnId },
    command,
    { commandId: randomUUID(), metadata: { command: command.type, actor: 'test' } },
  );
};

const facts = {
  principal: 'user:ada',
  key: 'key',
  fingerprint: 'v1:x',
  capabilities: [],
  agentName: 'helper',
  task: 'Say hello.',
  directory: null,
  verifyReady: false,
  epoch: 1,
};

const genericSpawn = async (harness: string): Promise<string> => {
  const spawnId = randomUUID();
  const now = systemClock.now();
  const nowhere = { contract: null, nodeId: null, nodeName: null, place: null };
  await say({ type: 'ClaimSpawn', spawnId, now, kind: 'generic', ...facts, harness, ...nowhere });
  return spawnId;
};

const strictSpawn = async (harness: string, node: string): Promise<string> => {
  const spawnId = randomUUID();
  const now = systemClock.now();
  const there = { contract: STRICT_SPAWN_CONTRACT, nodeId: node, nodeName: node };
  const place = { token: 'a1'.repeat(16), until: now + 30_000 };
  await say({
    type: 'ClaimSpawn',
    spawnId,
    now,
    kind: 'strict',
    ...facts,
    harness,
    ...there,
    place,
  });
  return spawnId;
};

const claim = (node: TestNode, frame: Frame): Promise<void> => {
  const { generation, epoch } = frame;
  const spawnId: string = frame.runId; // A frame calls its work a run, whatever it is.
  const { journalId, incarnation } = node;
  const now = systemClock.now();
  return say({ type: 'ClaimSpawnFrame', spawnId, now, generation, journalId, incarnation, epoch });
};

const started = (node: TestNode, frame: Frame): Promise<void> => {
  const { generation } = frame;
  const spawnId: string = frame.runId;
  const { journalId, incarnation } = node;
  const base = { spawnId, now: systemClock.now(), generation, journalId, incarnation };
  return say({ type: 'ReportAgentStarted', ...base, evidence: 'pid 7', workerCwd: '/work' });
};

const advance = async (spawnId: string): Promise<unknown> =>
  new RequestClient(world.link).request(
    'hf.cmd.spawns.advance',
    { workspace: 'main', id: spawnId },
    { timeoutMs: 5_000 },
  );

const frameAt = async (node: TestNode, spawnId: string): Promise<Frame> =>
  waitUntil(`the frame of ${spawnId} at ${node.id}`, () => node.framesOf(spawnId)[0]);

const stateOf = async (spawnId: string): Promise<ExistingSpawn> => {
  const { state } = await world.aggregates.load(SPAWN_AGGREGATE, 'main', spawnId, 'leader');
  if (state.status === 'none') throw new Error(`no spawn ${spawnId}`);
  return state;
};

const told = async (spawnId: string): Promise<readonly string[]> => {
  const ref = { aggregate: 'spawn', workspace: 'main', id: spawnId };
  const commits = await world.events.read(ref, { consistency: 'leader' });
  return commits.flatMap(({ events }) => events.map(({ type }) => type));
};

const slotOn = async ({ id }: TestNode, spawnId: string): Promise<string> => {
  const { state } = await world.aggregates.load(NODE_AGGREGATE, 'main', id, 'leader');
  return state.slots.held[spawnId]?.state ?? 'none';
};

describe('a spawn that names no node', () => {
  it('is taken back from a node that never claims it, and placed on the other, once (@SP-09, @SP-73)', async () => {
    const first = await nodeWith('g1', 'generic', 2);
    const second = await nodeWith('g2', 'generic', 1);
    const spawnId = await genericSpawn('generic');
    await waitUntil('a node for it', async () => {
      await advance(spawnId); // The sagas may learn of the spawn before they learn of the nodes.
      return (await stateOf(spawnId)).dispatch !== null;
    });
    const taken = await frameAt(first, spawnId);
    expect(taken.generation).toBe(1);
    const again = await frameAt(second, spawnId);
    expect(again).toStrictEqual({
      ...taken,
      node: 'g2',
      journalId: 'journal-of-g2',
      generation: 2,
    });
    await expect(claim(first, taken)).rejects.toMatchObject({ code: 'spawn.claim_refused' });
    await claim(second, again);
    await started(second, again);
    await waitUntil('its slot', async () => (await slotOn(second, spawnId)) === 'occupied');
    expect(await slotOn(first, spawnId)).toBe('none');
    expect(await told(spawnId)).toStrictEqual([
      'SpawnClaimed',
      'SpawnPlacementIntended',
      'SpawnDispatched',
      'SpawnDispatchRevoked',
      'SpawnPlacementIntended',
      'SpawnDispatched',
      'SpawnFrameClaimed',
      'SpawnCompleted',
    ]);
    expect([first.framesOf(spawnId), second.framesOf(spawnId)]).toStrictEqual([[taken], [again]]);
  });

  it('stays where it was claimed, although its node dies and another one is free (@SP-73)', async () => {
    const first = await nodeWith('c1', 'claimed', 2);
    const second = await nodeWith('c2', 'claimed', 1);
    const spawnId = await genericSpawn('claimed');
    await waitUntil('a node for it', async () => {
      await advance(spawnId);
      return (await stateOf(spawnId)).dispatch !== null;
    });
    await claim(first, await frameAt(first, spawnId));
    await first.stop();
    await waitUntil('the end of it', async () => {
      await advance(spawnId);
      return (await stateOf(spawnId)).status === 'failed';
    });
    expect((await stateOf(spawnId)).failure?.code).toBe('spawn_outcome_unknown');
    expect(second.framesOf(spawnId)).toStrictEqual([]);
    expect(first.framesOf(spawnId)).toHaveLength(1);
    expect([await slotOn(first, spawnId), await slotOn(second, spawnId)]).toStrictEqual([
      'reserved',
      'none',
    ]);
  });

  it('waits for a node, and goes to the one that joins', async () => {
    const spawnId = await genericSpawn('awaited');
    await advance(spawnId);
    expect(await told(spawnId)).toStrictEqual(['SpawnClaimed']);
    const node = await nodeWith('w1', 'awaited', 1);
    await waitUntil('a node for it', async () => {
      await advance(spawnId);
      return (await stateOf(spawnId)).dispatch !== null;
    });
    expect((await frameAt(node, spawnId)).spawn).toStrictEqual({
      harness: 'awaited',
      directory: null,
    });
  });
});

describe('a spawn that names its node', () => {
  it('is not taken to its twin when nobody claims it (@SP-33, @SP-73)', async () => {
    const named = await nodeWith('s1', 'strict', 1);
    const twin = await nodeWith('s2', 'strict', 9);
    const spawnId = await strictSpawn('strict', 's1');
    await waitUntil('the end of it', async () => (await stateOf(spawnId)).status === 'failed');
    expect((await stateOf(spawnId)).failure?.code).toBe('never_received');
    await waitUntil('its slot to be free', async () => (await slotOn(named, spawnId)) === 'none');
    expect([named.framesOf(spawnId).length, twin.framesOf(spawnId)]).toStrictEqual([1, []]);
    expect(await slotOn(twin, spawnId)).toBe('none');
  });
});
