import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium } from './browser.js';
import type { FakeWorld } from './fake-world.js';
import type { Operator } from './operator.js';
import { nodeNamed, systemNow } from './sample-views.js';
import { Stage } from './stage.js';

describe('the page that says what is slow', () => {
  let browser: Browser;
  let stage: Stage;
  let world: FakeWorld;
  let operator: Operator;
  beforeAll(async () => {
    browser = await launchChromium();
    stage = await Stage.set(browser);
    ({ world, operator } = stage);
    await operator.openAs('viewer-token', '/system');
  });
  afterAll(async () => {
    expect(stage.watched.complaints).toEqual([]);
    await stage.clear();
    await browser.close();
  });
  beforeEach(() => {
    world.isReachable = true;
    world.system = () => systemNow();
  });

  it('says first that nothing is, and then what is, the worst first', async () => {
    await operator.sees('Nothing is slow.');
    const { projections, sagas } = systemNow();
    const runs = { ...projections.value![0]!, lag: 1_234, lagMs: 2_500 };
    const behind = { ...sagas.value![0]!, waiting: 3, oldestMs: 9_000 };
    world.system = () =>
      systemNow({
        projections: { value: [runs], why: null },
        sagas: { value: [behind], why: null },
      });
    await operator.sees('Something does not go on.');
    const told = await operator
      .part('Something does not go on.')
      .getByRole('listitem')
      .allInnerTexts();
    expect(told.map((text) => text.replace(/\s+/g, ' '))).toEqual([
      '✕ stuck Saga runs has not handled 3 events, the oldest for 9.0 s.',
      '▲ slow Read model runs is 2.5 s behind (1,234 events).',
    ]);
    await operator.sees('2.5 s behind, 1,234 events', operator.part('Read models'));
  });

  it('shows what could not be looked at as not known, and never as fine', async () => {
    const why = 'Postgres can not be asked now';
    world.system = () =>
      systemNow({ database: { value: null, why }, holders: { value: null, why } });
    await operator.sees('Not all of it could be looked at.');
    for (const part of ['Postgres', 'Who is active']) {
      await operator.sees(why, operator.part(part));
      expect(await operator.part(part).getByText('fine').count()).toBe(0);
    }
    world.isReachable = false;
    await operator.sees('the service for reading is away', operator.part('Read models'));
  });

  it('fits on a narrow screen, with long names', async () => {
    const id = 'n'.repeat(64);
    world.nodes.push(nodeNamed(id, { liveness: 'silent' })); // So that the tabs have counts as well.
    world.system = () =>
      systemNow({ nodes: { value: [nodeNamed(id, { liveness: 'silent' })], why: null } });
    await operator.page.setViewportSize({ width: 375, height: 667 });
    await operator.sees(`Node ${id} is silent`);
    await operator.sees('1 silent', operator.page.getByRole('banner'));
    expect(await operator.overflow()).toBe(0);
  });
});
