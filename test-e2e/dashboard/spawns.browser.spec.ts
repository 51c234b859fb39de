import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { launchChromium } from './browser.js';
import type { FakeWorld } from './fake-world.js';
import type { Operator } from './operator.js';
import {
  agoText,
  nodeNamed,
  spawnOf,
  timelineOf,
  unknownRun,
  unknownSpawnOf,
} from './sample-views.js';
import { Stage } from './stage.js';

/** What a person sees of spawns and of the places of nodes, and what is asked before something is done about them. */
describe('spawns on the dashboard', () => {
  let browser: Browser;
  let stage: Stage;
  let world: FakeWorld;
  let operator: Operator;
  let spawnId: string;
  beforeAll(async () => {
    browser = await launchChromium();
    stage = await Stage.set(browser);
    ({ world, operator } = stage);
    await operator.openAs('operator-token');
  });
  afterAll(async () => {
    await stage.clear();
    await browser.close();
  });
  beforeEach(() => {
    world.empty();
    spawnId = randomUUID();
  });
  afterEach(() => {
    expect(stage.watched.complaints).toEqual([]);
  });

  const opensSpawn = (): Promise<void> => operator.open(`/spawns/${spawnId}`);
  const isGone = (): Promise<unknown> => operator.dialog.waitFor({ state: 'hidden' });
  const seesInDialog = (text: string): Promise<void> => operator.sees(text, operator.dialog);
  const button = (name: string) => operator.dialog.getByRole('button', { name });
  const asks = (name: string) => operator.page.getByRole('button', { name }).click();

  it('are listed with what each waits for, and follow what changes', async () => {
    const waitsFor = 'a free slot on node local';
    world.spawns.add(
      spawnOf({ spawnId, status: 'pending', agent: 'none', slot: 'none', waitsFor }),
    );
    await operator.open('/spawns');
    await operator.row(spawnId).getByText('waits for a free slot on node local').waitFor();
    world.spawns.change(spawnId, { status: 'completed', agent: 'alive', waitsFor: null });
    await operator.row(spawnId).getByText('its agent is alive').waitFor();
    expect(await operator.overflow()).toBe(0);
  });

  it('are shown one by one with their history', async () => {
    world.spawns.add(spawnOf({ spawnId, task: 'Review the last commit' }));
    world.timelines.set(
      spawnId,
      timelineOf(spawnId, [
        ['SpawnClaimed', 9_000],
        ['SpawnCompleted', 8_000, { evidence: 'its program was started' }],
      ]),
    );
    await opensSpawn();
    await operator.seesStatus('completed');
    await operator.sees('Review the last commit');
    await operator.sees('evidence its program was started', operator.timeline);
  });

  describe('whose agent may be alive', () => {
    it('count as unknown, and say what each way on does before it is taken', async () => {
      world.spawns.add(unknownSpawnOf({ spawnId }));
      await operator.open('/runs');
      await operator.page.getByRole('link', { name: /Unknown.*1 to settle/ }).click();
      await asks('Decide…');
      await seesInDialog('Holdfast starts nothing again.');
      expect(await operator.dialog.getByRole('radio').count()).toBe(2);
      await operator.dialog.getByRole('radio', { name: /Stop it/ }).check();
      await seesInDialog('stays taken until the node proves that no agent of it lives');
      await operator.dialog.getByRole('radio', { name: /Free its place/ }).check();
      await seesInDialog('more agents than places');
      expect(await button('Record the decision').isDisabled()).toBe(true);
      await button('Leave it open').click();
      await isGone();
      expect(world.commands).toEqual([]);
      world.spawns.change(spawnId, { agent: 'ended', unknown: null }); // Seen on the page that is open.
      await operator.sees('None. Every outcome is known.');
      await operator.page.getByRole('link', { name: /^Unknown$/ }).waitFor();
    });

    it('are in one list with runs of which the same is true, and come before them, page after page', async () => {
      for (let made = 0; made < 50; made += 1) world.spawns.add(unknownSpawnOf());
      world.add(unknownRun({ runId: spawnId }));
      await operator.open('/unknowns');
      await operator.page.getByRole('link', { name: /Unknown.*50\+ to settle/ }).waitFor();
      const cards = operator.page.getByRole('main').getByRole('heading', { level: 2 });
      expect(await cards.filter({ hasText: 'Spawn' }).count()).toBe(50);
      await asks('Further ones');
      await cards.filter({ hasText: `Run ${spawnId.slice(0, 8)}` }).waitFor();
      expect(await cards.count()).toBe(1);
      world.change(spawnId, { status: 'completed', settledBy: 'proof', unknown: null });
      await operator.sees('None further.');
      await asks('The first ones');
      await cards.first().waitFor();
      expect(await cards.filter({ hasText: 'Spawn' }).count()).toBe(50);
    });

    it('are adopted once they were seen alive, with a note that is kept', async () => {
      world.spawns.add(unknownSpawnOf({ spawnId }));
      await opensSpawn();
      await asks('Decide…');
      world.spawns.change(spawnId, { agent: 'alive' });
      await operator.dialog.getByRole('radio', { name: /Adopt it/ }).check();
      await operator.dialog.getByLabel('Because').fill('it works');
      await button('Record the decision').dblclick();
      await isGone();
      await operator.sees('your decision was recorded: adopt.');
      await operator.sees('it works');
      expect(world.commands.map(({ body }) => body)).toEqual([
        { spawnId, as: 'adopt', note: 'it works' },
      ]);
    });

    it('and were settled meanwhile say so, and take no decision', async () => {
      world.spawns.add(unknownSpawnOf({ spawnId }));
      await opensSpawn();
      await asks('Decide…');
      world.spawns.change(spawnId, { agent: 'ended' });
      await seesInDialog('There is nothing left to decide.');
      expect(await button('Record the decision').count()).toBe(0);
      await button('Close').click();
      await isGone();
    });
  });

  it('have their agent stopped once, and show what is proven since', async () => {
    world.spawns.add(spawnOf({ spawnId }));
    await opensSpawn();
    await asks('Stop its agent…');
    await seesInDialog('the spawn remains completed');
    await operator.dialog.getByLabel('Reason').fill('no longer needed');
    await button('Stop this agent').dblclick();
    await isGone();
    await operator.sees(
      'Not proven yet: it waits for node local to prove that its agent has ended.',
    );
    expect(world.commands.map(({ body }) => body)).toEqual([
      { target: { kind: 'agent', id: spawnId }, reason: 'no longer needed' },
    ]);
    world.spawns.change(spawnId, { agent: 'ended', slot: 'none' });
    await operator.sees('Proven to have stopped: nothing that it started is alive.');
  });

  it('are named as holders of places: who, since when, and why', async () => {
    const slot = {
      spawnId,
      agentName: 'reviewer',
      harness: 'sample',
      state: 'occupied',
      round: 1,
      since: agoText(60_000),
      why: 'its agent is alive',
    } as const;
    const change = {
      capacity: 4,
      slots: [slot],
      harnesses: ['sample', 'codex'],
      notReady: ['codex'],
    };
    world.nodes.splice(0, 1, nodeNamed('local', change));
    await operator.open('/nodes');
    await operator.sees('3 of 4 places free');
    await operator.sees(/reviewer.*occupied.*ago: its agent is alive/);
    await operator.sees('codex (not ready)');
  });

  it('go to no node that is drained: which asks first, and can be taken back', async () => {
    await operator.open('/nodes');
    await asks('Drain…');
    await seesInDialog('goes to no other node');
    await operator.dialog.getByLabel('Reason').fill('new disk');
    await button('Drain this node').click();
    await isGone();
    await operator.sees('by user:ada: “new disk”');
    await asks('Return…');
    await operator.dialog.getByLabel('Reason').fill('disk is in');
    await button('Return this node').click();
    await isGone();
    await operator.page.getByRole('button', { name: 'Drain…' }).waitFor();
    expect(world.commands.map(({ body }) => body)).toEqual([
      { nodeId: 'local', reason: 'new disk' },
      { nodeId: 'local', reason: 'disk is in' },
    ]);
  });
});
