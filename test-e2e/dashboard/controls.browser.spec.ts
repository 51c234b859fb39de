import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { launchChromium } from './browser.js';
import { idOf } from './fake-parts.js';
import type { FakeWorld } from './fake-world.js';
import type { Operator } from './operator.js';
import { completedRun, nodeNamed, runOf, runningRun, unknownRun } from './sample-views.js';
import { Stage } from './stage.js';

/** What is asked before a stop or a decision, and that it then happens once, or not at all. */
describe('the controls of the dashboard', () => {
  let browser: Browser;
  let stage: Stage;
  let world: FakeWorld;
  let operator: Operator;
  let runId: string;
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
  /** Each scenario has a run of its own, in an empty world; the operator stays signed in. */
  beforeEach(() => {
    world.empty();
    runId = randomUUID();
  });
  afterEach(() => {
    expect(stage.watched.complaints).toEqual([]);
  });

  const opensRun = (): Promise<void> => operator.open(`/runs/${runId}`);
  const stillAsks = (): Promise<unknown> => operator.dialog.waitFor();
  const isGone = (): Promise<unknown> => operator.dialog.waitFor({ state: 'hidden' });
  const seesInDialog = (text: string): Promise<void> => operator.sees(text, operator.dialog);
  const button = (name: string) => operator.dialog.getByRole('button', { name });

  describe('a stop', () => {
    it('says what it does before it, as things stand at that moment, and does nothing when it is left', async () => {
      world.add(runOf({ runId }));
      await opensRun();
      await operator.asksToStop();
      await seesInDialog('It has not been started, and never will be');
      world.change(runId, runningRun({ runId }));
      await seesInDialog('Node local sends all that it started for this run a polite signal');
      await seesInDialog('What it has done stays done');
      world.nodes.splice(0, 1, nodeNamed('local', { liveness: 'silent' }));
      await seesInDialog('Node local is silent now. The stop is kept');
      world.change(runId, completedRun({ runId }));
      await seesInDialog('It has ended: it is completed.');
      expect(await button('Stop this run').count()).toBe(0);
      await button('Close').click();
      await isGone();
      expect(world.commands).toEqual([]);
    });

    it('happens once, however often it is pressed, and shows what is proven since', async () => {
      world.add(runningRun({ runId }));
      await opensRun();
      await operator.asksToStop();
      await operator.dialog.getByLabel('Reason').fill('seen enough');
      await button('Stop this run').dblclick();
      await operator.seesStatus('stopping');
      await isGone();
      await operator.sees(`Run ${runId.slice(0, 8)}: the stop was accepted.`);
      await operator.sees('asked for by user:ada: “seen enough”');
      await operator.sees('Not proven yet: it waits for node local to answer.');
      expect(world.commands.map(({ body }) => body)).toEqual([
        { target: { kind: 'run', id: runId }, reason: 'seen enough' },
      ]);
      world.change(runId, { status: 'stopped', settledBy: 'node', waitsFor: null });
      await operator.sees('Proven to have stopped: nothing that it started is alive.');
    });

    it('whose answer was lost is asked for again under its key: there is one stop', async () => {
      world.add(runningRun({ runId }));
      await opensRun();
      await operator.asksToStop();
      world.losesAnswers = true;
      await operator.confirmsStop();
      await seesInDialog('Asking again, under the same key');
      world.losesAnswers = false;
      await operator.seesStatus('stopping');
      await isGone();
      expect(new Set(world.keysOf('stops.request')).size).toBe(1);
      expect(world.keysOf('stops.request').length).toBeGreaterThan(1);
      expect(world.commands).toHaveLength(1);
    });

    it('that came too late says so, and how the run had ended', async () => {
      world.add(runningRun({ runId }));
      await opensRun();
      await operator.asksToStop();
      world.beforeNextCommand = () => world.change(runId, completedRun({ runId }));
      await operator.confirmsStop();
      await operator.seesStatus('completed');
      await operator.sees('Too late: the run had ended before the stop was accepted.');
      await operator.sees('It is completed.');
    });

    it('can be asked for and left by keyboard alone, and Enter in its reason does nothing', async () => {
      world.add(runningRun({ runId }));
      await opensRun();
      const { keyboard } = operator.page;
      await operator.page.getByRole('button', { name: 'Stop…' }).focus();
      await keyboard.press('Enter');
      await stillAsks();
      await keyboard.press('Enter'); // Held a little too long.
      await keyboard.press('Tab');
      expect(await operator.focused()).toBe('Reason, kept with the run');
      await keyboard.type('by keyboard');
      await keyboard.press('Enter');
      const reached = new Set<string>();
      for (let pressed = 0; pressed < 6; pressed += 1) {
        await keyboard.press('Tab');
        reached.add(await operator.focusedText());
      }
      // Nothing behind it can be reached; '' is the browser's own frame around the page.
      expect([...reached].filter((text) => text !== '').sort()).toEqual([
        'Let it go on',
        'Stop this run',
      ]);
      await keyboard.press('Escape');
      await isGone();
      expect(await operator.focusedText()).toBe('Stop…');
      expect(world.commands).toEqual([]);
    });
  });

  describe('a decision', () => {
    const decides = async (as: string, because: string): Promise<void> => {
      await operator.dialog.getByLabel(as).check();
      await operator.dialog.getByLabel('Because').fill(because);
      await button('Record the decision').click();
    };

    it('is made from the list, says what it does before, and is recorded with its note', async () => {
      world.add(unknownRun({ runId }), unknownRun({ runId: idOf('other') }));
      await operator.open('/unknowns');
      const card = operator.page.getByRole('listitem').filter({ hasText: runId.slice(0, 8) });
      await card.getByRole('button', { name: 'Settle…' }).click();
      await seesInDialog('Holdfast sends nothing again.');
      await seesInDialog('it goes on beside the next run of its session');
      expect(await button('Record the decision').isDisabled()).toBe(true);
      await decides('failed', 'its branch is empty');
      await isGone();
      await operator.sees(`Run ${runId.slice(0, 8)}: your decision was recorded: failed.`);
      await card.waitFor({ state: 'hidden' });
      expect(world.commands.map(({ body }) => body)).toEqual([
        { runId, as: 'failed', note: 'its branch is empty' },
      ]);
    });

    it('that proof overtook is not recorded, says so, and the page shows what came first', async () => {
      world.add(unknownRun({ runId }));
      await opensRun();
      await operator.page.getByRole('button', { name: 'Settle…' }).click();
      world.beforeNextCommand = () => world.change(runId, completedRun({ runId, unknown: null }));
      await decides('abandoned', 'nobody knows');
      await seesInDialog('Your decision was not recorded: proof, or somebody else, was first.');
      await seesInDialog('Its outcome is known by now: it is completed.');
      expect(await button('Record the decision').count()).toBe(0);
      await button('Close').click();
      await operator.seesStatus('completed');
      expect(world.commands).toEqual([]);
    });

    it('whose answers are all lost keeps what it said, and is sent again as it was', async () => {
      world.add(unknownRun({ runId }));
      await opensRun();
      await operator.page.getByRole('button', { name: 'Settle…' }).click();
      world.losesAnswers = true;
      world.standsStill = true; // Or the page would see by itself that it was recorded.
      await decides('completed', 'the commit is there');
      await seesInDialog('It may have been accepted, or not');
      expect(await operator.dialog.getByLabel('Because').isEditable()).toBe(false);
      expect(await operator.dialog.getByLabel('failed').isDisabled()).toBe(true);
      world.losesAnswers = false;
      await button('Try again').click();
      await isGone();
      world.standsStill = false;
      expect(new Set(world.keysOf('runs.resolve')).size).toBe(1);
      expect(world.commands).toHaveLength(1);
    });

    it('can not call completed what a stop was accepted for', async () => {
      const stop = { stopId: idOf('stop'), requestedAt: new Date().toISOString(), reason: 'why' };
      world.add(unknownRun({ runId, stop }));
      await opensRun();
      await operator.page.getByRole('button', { name: 'Settle…' }).click();
      await seesInDialog('A stop of it was accepted, so it can not count as completed.');
      expect(await operator.dialog.getByRole('radio').count()).toBe(2);
      await button('Leave it unknown').click();
      expect(await operator.page.getByRole('button', { name: 'Stop…' }).count()).toBe(0);
    });
  });

  it('fit on a narrow screen', async () => {
    world.add(unknownRun({ runId, agent: 'a'.repeat(64), node: 'n'.repeat(64) }));
    await operator.page.setViewportSize({ width: 375, height: 667 });
    await opensRun();
    for (const name of ['Settle…', 'Stop…']) {
      await operator.page.getByRole('button', { name }).click();
      await stillAsks();
      expect([name, await operator.overflow()]).toEqual([name, 0]);
      const { x, y, width, height } = (await operator.dialog.boundingBox())!;
      expect([x >= 0, y >= 0, x + width <= 375, y + height <= 667]).toEqual(Array(4).fill(true));
      await operator.page.keyboard.press('Escape');
    }
  });

  it('are not offered to who may not use them, and say who may', async () => {
    world.add(unknownRun({ runId }));
    await operator.page.getByRole('button', { name: 'Sign out' }).click();
    await operator.openAs('viewer-token', '/unknowns');
    await operator.sees('Settling it by decision takes an operator. You are signed in as viewer.');
    await operator.sees('Stopping takes an operator or an agent. You are signed in as viewer.');
    expect(await operator.page.getByRole('button', { name: /Stop|Settle/ }).count()).toBe(0);
  });
});
