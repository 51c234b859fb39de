import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SpawnReport } from '#contracts';
import { SpawnWorld, idOfKey } from '../saga/spawn.world.fixture.js';
import { ReportSpawnCommand } from './spawn.commands.js';

const KEY = 'one';

/** A spawn whose agent was told of as started, and what its node says next. */
describe('a report of an agent that was told of as started', () => {
  let world: SpawnWorld;
  beforeEach(async () => {
    world = await SpawnWorld.start();
    await world.call(KEY, 'invoke');
    world.deliver();
    for (let step = 0; step < 3; step += 1) await world.named.step(false);
    await world.advance(KEY);
    expect(await world.stateOf(KEY)).toMatchObject({ status: 'completed' });
    expect(await world.slotsOf('named')).toBe(1);
  });

  const told = async (over: Partial<SpawnReport>): Promise<void> => {
    const { journalId, incarnation } = world.named;
    const base = { spawnId: idOfKey(KEY), generation: 1, journalId, incarnation };
    const report = { ...base, journalSequence: 9, workerCwd: null, ...over } as SpawnReport;
    await world.door().reports.execute(new ReportSpawnCommand('main', 'named', report, {}));
    await world.advance(KEY);
  };

  it('gives its place back when it has ended @SP-76', async () => {
    await told({ kind: 'ended', evidence: 'ended with exit code 0' });
    expect(await world.slotsOf('named')).toBe(0);
    await told({ kind: 'ended', evidence: 'ended with exit code 0' });
    expect(await world.slotsOf('named')).toBe(0);
  });

  it('gives its place back when it had never left its shim', async () => {
    const disproves = world.named.incarnation;
    await told({ kind: 'not-started', disproves, proof: 'it was never given go' });
    expect(await world.slotsOf('named')).toBe(0);
    expect(await world.stateOf(KEY)).toMatchObject({ status: 'completed' });
  });

  it('changes nothing when another journal says it', async () => {
    const journalId = 'journal-other';
    await told({ kind: 'ended', evidence: 'ended', journalId });
    await told({ kind: 'not-started', disproves: 'x', proof: 'never seen', journalId });
    expect(await world.slotsOf('named')).toBe(1);
  });
});
