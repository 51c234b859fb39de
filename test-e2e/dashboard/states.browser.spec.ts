import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { waitUntil } from '#testing';
import { launchChromium, type WatchedPage } from './browser.js';
import { idOf } from './fake-parts.js';
import type { FakeWorld } from './fake-world.js';
import type { Operator } from './operator.js';
import {
  completedRun,
  nodeNamed,
  runOf,
  runningRun,
  timelineOf,
  unknownRun,
} from './sample-views.js';
import { Stage } from './stage.js';

/** Behind a real gateway stands what answers as a test likes: states that a real system shows seldom, or slowly. */
describe('the dashboard', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  let stage: Stage;
  let world: FakeWorld;
  let watched: WatchedPage;
  let operator: Operator;
  beforeEach(async () => {
    stage = await Stage.set(browser);
    ({ world, watched, operator } = stage);
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await stage.clear();
  });

  const rows = () => operator.page.getByRole('row');
  const chip = (name: RegExp) =>
    operator.page.getByRole('navigation', { name: 'Runs by status' }).getByRole('link', { name });
  const banner = () => operator.page.getByText('What you see may be old.');

  describe('with a thousand runs', () => {
    beforeEach(async () => {
      world.add(unknownRun({ runId: idOf('the oldest') }));
      for (let made = 0; made < 990; made += 1) world.add(completedRun());
      for (let made = 0; made < 9; made += 1)
        world.add(completedRun({ status: 'failed', code: 'EXIT_NONZERO', exitCode: 3 }));
      await operator.openAs('operator-token');
    });

    it('shows a page of them, and the way to the others', async () => {
      await operator.row(world.runs[0]!.runId).waitFor();
      expect(await rows().count()).toBe(51); // With the heads.
      await operator.page.getByRole('link', { name: 'Older runs' }).click();
      await operator.row(world.runs[50]!.runId).waitFor();
      expect(await operator.row(world.runs[49]!.runId).count()).toBe(0);
      await operator.page.getByRole('link', { name: 'Newest runs' }).click();
      await operator.row(world.runs[0]!.runId).waitFor();
    });

    it('counts all that are open and the newest of the others, and says so', async () => {
      await chip(/unknown 1/).waitFor();
      await chip(/failed 9/).waitFor();
      await chip(/completed 191/).waitFor();
      await operator.sees('All open runs, and the newest settled ones: 201 in all.');
    });

    it('narrows the list by status, agent and node, and keeps that in its address', async () => {
      await chip(/unknown/).click();
      await operator.row(idOf('the oldest')).waitFor();
      await waitUntil('the others to go', async () => (await rows().count()) === 2);
      await operator.row(idOf('the oldest')).getByRole('link', { name: 'echo' }).click();
      await operator.page.getByRole('link', { name: 'agent echo' }).waitFor();
      expect(new URL(operator.page.url()).search).toBe('?agent=echo');
      await operator.page.goBack();
      await operator.page.reload();
      await operator.row(idOf('the oldest')).waitFor();
      expect(await rows().count()).toBe(2);
      await chip(/stopping/).click();
      await operator.sees('No run is stopping.');
    });
  });

  it('shows what changes, without reading faster than the server answers', async () => {
    world.add(runOf({ runId: idOf('one') }));
    await operator.openAs('operator-token');
    await operator.row(idOf('one')).getByText('queued').waitFor();
    const before = world.upstream.to('hf.qry.runs.list').length;
    const changes = 500;
    for (let made = 0; made < changes; made += 1)
      world.change(idOf('one'), { waitsFor: `change ${String(made)}` });
    world.change(idOf('one'), runningRun({ runId: idOf('one') }));
    await operator.row(idOf('one')).getByText('running').waitFor();
    const read = world.upstream.to('hf.qry.runs.list').length - before;
    expect(read).toBeLessThan(changes / 10);
  });

  it('shows output that is no text for people, as far as it can be shown', async () => {
    const { runId } = runningRun({ runId: idOf('loud') });
    world.add(runningRun({ runId }));
    world.write(runId, '\u001b[32mgreen\u001b[0m 10 %\r99 %\ndone\u0007\n');
    world.write(runId, new Uint8Array([0xff, 0xfe, 0x0a]));
    world.write(runId, 'second\n', 2);
    await operator.openAs('operator-token', `/runs/${runId}`);
    await operator.sees('second', operator.output);
    expect(await operator.output.innerText()).toBe(
      '99 %\ndone␇\n\ufffd\ufffd\n── attempt of generation 2 ──\nsecond\n',
    );
  });

  it('shows the end of a long output, and saves all of it byte for byte', async () => {
    const lines = Array.from({ length: 30_000 }, (_, line) => `line ${String(line)}\n`).join('');
    const bytes = Buffer.concat([randomBytes(10_000), Buffer.from(lines)]);
    world.add(completedRun({ runId: idOf('long') }));
    for (let from = 0; from < bytes.length; from += 60_000)
      world.write(idOf('long'), bytes.subarray(from, from + 60_000));
    await operator.openAs('operator-token', `/runs/${idOf('long')}`);
    await operator.sees('line 29999', operator.output);
    await operator.sees('KiB · only the end is shown');
    const downloading = operator.page.waitForEvent('download');
    await operator.page.getByRole('button', { name: 'Save all' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`run-${idOf('long').slice(0, 8)}.txt`);
    expect(await readFile(await download.path())).toEqual(bytes);
  });

  it('fits long names on a narrow screen, and long words', async () => {
    const name = 'n'.repeat(64);
    const word = 'w'.repeat(500);
    world.nodes.push(nodeNamed(name, { liveness: 'silent', agents: [name], waiting: 3 }));
    const stop = { stopId: idOf('stop'), requestedAt: new Date().toISOString(), reason: word };
    const change = { agent: name, node: name, prompt: word, submittedBy: `user:${word}`, stop };
    world.add(unknownRun({ runId: idOf('wide'), ...change }));
    world.timelines.set(
      idOf('wide'),
      timelineOf(idOf('wide'), [
        ['RunSubmitted', 9_000, { agent: name }],
        ['RunDispatched', 8_000],
        ['RunClaimed', 7_000],
        ['RunStopRequested', 6_000, { reason: word }],
        ['RunOutcomeUnknown', 5_000, { evidence: { reason: word } }],
      ]),
    );
    world.write(idOf('wide'), word.repeat(100));
    await operator.page.setViewportSize({ width: 390, height: 844 });
    await operator.openAs('operator-token');
    for (const [path, landmark] of [
      ['/runs', name],
      [`/runs?agent=${name}&node=${name}`, name],
      ['/nodes', name],
      ['/unknowns', 'asked three times'],
      [`/runs/${idOf('wide')}`, 'www'],
    ] as const) {
      await operator.open(path);
      await operator.sees(landmark);
      await operator.page.getByRole('main').getByText(landmark).first().waitFor();
      expect([path, await operator.overflow()]).toEqual([path, 0]);
    }
  });

  it('sends a submission whose answer was lost again under its key', async () => {
    await operator.openAs('operator-token');
    world.losesAnswers = true;
    const form = operator.page.getByRole('form', { name: 'Submit a prompt' });
    await form.getByLabel('Prompt').fill('once');
    await form.getByRole('button', { name: 'Submit' }).click();
    await operator.sees('It may have been accepted, or not', form.getByRole('alert'));
    world.losesAnswers = false;
    await form.getByRole('button', { name: 'Submit' }).click();
    await operator.seesStatus('queued');
    expect(world.commands.map(({ body }) => body['prompt'])).toEqual(['once']);
    expect(await operator.submit('echo', 'once')).not.toBe(world.runs[1]!.runId);
    expect(world.commands).toHaveLength(2); // Submitted anew it is another intent.
  });

  it('says when the services behind the gateway are away, keeps what it shows, and recovers', async () => {
    world.add(completedRun({ runId: idOf('one') }));
    await operator.openAs('operator-token');
    await operator.row(idOf('one')).waitFor();
    world.isReachable = false;
    await banner().waitFor();
    await operator.sees('The server can not answer: the service for reading is away');
    expect(await operator.row(idOf('one')).count()).toBe(1);
    world.isReachable = true;
    await banner().waitFor({ state: 'hidden' });
  });

  it('says when the lists are behind', async () => {
    world.lagMs = 65_000;
    await operator.openAs('operator-token');
    await operator.sees('The lists are 1 min 5 s behind what has happened.');
  });

  it('says what is not there: no runs, no agents, no nodes, no such run, no such page', async () => {
    world.agents.splice(0);
    world.nodes.splice(0);
    await operator.openAs('operator-token');
    await operator.sees('No runs yet. Submit one above.');
    await operator.sees('No agent is registered');
    await operator.goTo('Nodes');
    await operator.sees('No node has joined.');
    await operator.goTo('Unknown');
    await operator.sees('None. Every outcome is known.');
    await operator.open(`/runs/${idOf('nothing')}`);
    await operator.heading('This run can not be shown').waitFor();
    await operator.sees('run_not_found');
    await operator.open('/runs/not-an-id');
    await operator.sees('id must be a UUID in lower case');
    await operator.open('/elsewhere');
    await operator.heading('There is no such page').waitFor();
  });

  it('offers an agent to submit and to stop, and not to settle', async () => {
    world.add(unknownRun({ runId: idOf('doubt') }));
    await operator.openAs('agent-token');
    await operator.page.getByRole('form', { name: 'Submit a prompt' }).waitFor();
    await operator.open(`/runs/${idOf('doubt')}`);
    await operator.page.getByRole('button', { name: 'Stop…' }).waitFor();
    await operator.sees('Settling it by decision takes an operator. You are signed in as agent.');
    expect(await operator.page.getByRole('form').count()).toBe(0);
  });

  it('can be used by keyboard alone', async () => {
    world.add(runningRun({ runId: idOf('one') }));
    await operator.openAs('operator-token');
    await operator.row(idOf('one')).waitFor();
    const { keyboard } = operator.page;
    await operator.page.getByRole('link', { name: 'Skip to the content' }).focus();
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    expect(await operator.focused()).toBe('Agent');
    await keyboard.press('Tab');
    expect(await operator.focused()).toBe('Prompt');
    await keyboard.type('by keyboard');
    await keyboard.press('Control+Enter');
    await operator.seesStatus('queued');
    expect(await operator.focused()).toBe('main'); // Where the new page begins.
    expect(world.commands.map(({ subject }) => subject)).toEqual(['hf.cmd.runs.submit']);
  });

  it('lets its streams go while it can not be seen, and is up to date when it is seen again', async () => {
    world.add(runOf({ runId: idOf('one') }));
    await operator.openAs('operator-token');
    await operator.row(idOf('one')).getByText('queued').waitFor();
    await waitUntil('its stream', () => watched.openStreams.size === 1);
    await operator.setVisible(false);
    await waitUntil('its stream to end', () => watched.openStreams.size === 0);
    await operator.page.evaluate('document.title'); // Whatever it opened instead, it would have by now.
    expect(watched.openStreams.size).toBe(0);
    world.change(idOf('one'), runningRun({ runId: idOf('one') }));
    await operator.setVisible(true);
    await operator.row(idOf('one')).getByText('running').waitFor();
  });

  it('shares nothing between those who sign in one after another', async () => {
    world.add(completedRun({ runId: idOf('one') }));
    await operator.openAs('operator-token');
    await operator.sees('user:ada · operator · main');
    await operator.page.getByRole('button', { name: 'Sign out' }).click();
    await operator.page.getByLabel('Token').waitFor();
    await operator.signIn('viewer-token');
    await operator.sees('user:vera · viewer · main');
    expect(await operator.page.getByText('user:ada').count()).toBe(0);
  });
});
