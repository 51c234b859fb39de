import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { findAllWork } from '#execution/process';
import { startLocalStack, type LocalStack } from '#local-stack';
import { waitUntil } from '#testing';
import { SHOWN_WITHIN_MS, WatchedPage, launchChromium } from './dashboard/browser.js';
import { Operator } from './dashboard/operator.js';
import { Client } from './support/client.js';
import { groupOf, programsOf } from './support/faults.js';
import { SHORT_WINDOWS } from './support/fixture.js';

/** The whole system as `npm start` brings it up, as a person sees it in a browser. */
describe('the dashboard of a running system', () => {
  let folder: string;
  let stack: LocalStack;
  let browser: Browser;
  let client: Client;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hf-'));
    stack = await startLocalStack({ home: join(folder, 'home'), windows: SHORT_WINDOWS });
    client = new Client(stack.url, stack.operatorToken);
    browser = await launchChromium();
  }, 180_000);
  afterAll(async () => {
    await browser.close();
    await stack.destroy();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  let watched: WatchedPage;
  let operator: Operator;
  beforeEach(async () => {
    watched = await WatchedPage.open(browser);
    operator = new Operator(watched.page, stack.url);
  });
  /** In no scenario does the page break its security policy, or does anything complain in its console. */
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });

  /** Output that has come so far, by lines. */
  const linesShown = async (): Promise<readonly string[]> =>
    (await operator.output.innerText()).split('\n').filter((line) => line !== '');
  const ticksShown = (count: number): Promise<unknown> =>
    operator.sees(`tick ${String(count)} of`, operator.output);

  it('refuses a wrong token in words, and lets the operator in', async () => {
    await operator.open();
    await operator.signIn('hf_this-is-not-a-token-of-anybody');
    const alert = operator.page.getByRole('alert');
    await operator.sees('The token is not valid.', alert);
    await operator.signIn('two words');
    await operator.sees('This can not be a token', alert);
    await operator.signIn(stack.operatorToken);
    await operator.heading('Runs').waitFor();
    await operator.sees('user:operator · operator · main');
    expect(new URL(operator.page.url()).pathname).toBe('/runs');
  });

  it('submits, and shows the run to its end without being loaded again', async () => {
    await operator.openAs(stack.operatorToken);
    await operator.page.evaluate('globalThis.neverLoadedAgain = true');
    const prompt = `Hello ${randomUUID()}`;
    const runId = await operator.submit('echo', prompt);
    await operator.seesStatus('completed');
    await operator.sees(prompt, operator.output);
    await operator.sees('settled by node');
    for (const event of ['Submitted', 'Dispatched', 'Claimed', 'Completed'])
      await operator.timeline.getByText(event, { exact: true }).waitFor();
    for (const status of ['queued', 'dispatched', 'running', 'completed'])
      await operator.progress.getByText(status).waitFor();
    expect(await operator.page.title()).toBe(`completed · run ${runId.slice(0, 8)} · Holdfast`);
    await operator.goTo('Runs');
    await operator.row(runId).getByText('completed').waitFor();
    expect(await operator.page.evaluate('globalThis.neverLoadedAgain')).toBe(true);
    expect((await client.run(runId)).prompt).toBe(prompt);
  });

  it('shows a run that goes on, and stops it', async () => {
    await operator.openAs(stack.operatorToken);
    const runId = await operator.submit('ticker', '600');
    await operator.seesStatus('running');
    await ticksShown(1);
    await ticksShown(2);
    expect((await linesShown()).slice(0, 2)).toEqual(['tick 1 of 600', 'tick 2 of 600']);
    await operator.asksToStop();
    await operator.sees('Node local sends all that it started', operator.dialog);
    await operator.dialog.getByLabel('Reason').fill('seen enough');
    await operator.confirmsStop();
    await operator.seesStatus('stopped');
    await operator.sees('“seen enough”');
    await operator.sees('Proven to have stopped: nothing that it started is alive.');
    await operator.sees('stopped after', operator.output);
    expect(programsOf(runId)).toBe(0);
    expect(await operator.page.getByRole('button', { name: 'Stop…' }).count()).toBe(0);
  });

  it('shows a session: who holds it, and who waits in it', async () => {
    await operator.openAs(stack.operatorToken);
    const runId = await operator.submit('ticker', '600');
    await operator.seesStatus('running');
    await operator.page.getByRole('link', { name: runId.slice(0, 8) }).click();
    const form = operator.page.getByRole('form', { name: 'Submit a prompt' });
    await form.getByLabel(`Prompt, for session ${runId.slice(0, 8)}`).fill('1');
    await form.getByRole('button', { name: 'Submit' }).click();
    await operator.seesStatus('queued');
    await operator.sees(/waits for run .*, which holds the session/);
    await operator.page
      .getByRole('link', { name: runId.slice(0, 8) })
      .first()
      .click();
    await operator.heading(new RegExp(runId)).waitFor();
    await operator.page.goBack();
    await client.stop(runId);
    await operator.seesStatus('completed');
  });

  it('shows the local node alive, silent while it is frozen, and alive again', async () => {
    await operator.openAs(stack.operatorToken);
    await operator.goTo('Nodes');
    const card = operator.page.getByRole('listitem').filter({ hasText: 'local' });
    await operator.sees('alive', card);
    await operator.sees('0 of 16 runs', card);
    stack.kill('node-agent', 'SIGSTOP');
    try {
      await operator.sees('silent', card);
      await operator.sees('1 silent', operator.page.getByRole('banner'));
    } finally {
      stack.kill('node-agent', 'SIGCONT');
    }
    await operator.sees('alive', card);
  });

  it('shows in seconds that a projector is frozen, and that it has caught up', async () => {
    await operator.openAs(stack.operatorToken, '/system');
    const behind = operator.page.getByText(/Read model runs is .* behind/);
    await operator.sees('level with the stream', operator.part('Read models'));
    expect(await behind.count()).toBe(0);
    stack.kill('projector', 'SIGSTOP');
    try {
      await client.submit('echo', 'while nobody looks');
      const frozenAt = performance.now();
      await behind.waitFor();
      expect(performance.now() - frozenAt).toBeLessThan(10_000);
    } finally {
      stack.kill('projector', 'SIGCONT');
    }
    await behind.waitFor({ state: 'hidden' });
    await operator.sees(/projector-\d+-/, operator.part('Who is active'));
    await operator.sees('nothing to do', operator.part('Sagas'));
    await operator.sees('Survives the death of any process', operator.part('Durability in force'));
  });

  it('shows an outcome that is not known, why, and lets it be settled', async () => {
    await operator.openAs(stack.operatorToken);
    const runId = await operator.submit('ticker', '600');
    await ticksShown(1);
    killNodeWith(runId);
    await operator.seesStatus('unknown');
    const { unknown } = await client.untilStatus(runId, 'unknown');
    const box = operator.page.getByRole('region', { name: 'What happened is not known' });
    await operator.sees(unknown!.reason, box);
    await operator.sees(unknown!.advice, box);
    await operator.sees('proven to run no longer', box);
    await operator.goTo('Unknown');
    const card = operator.page.getByRole('listitem').filter({ hasText: runId.slice(0, 8) });
    await operator.sees(unknown!.reason, card);
    await card.getByRole('button', { name: 'Settle…' }).click();
    await operator.sees('It is proven that nothing of it runs any more', operator.dialog);
    await operator.dialog.getByLabel('abandoned').check();
    await operator.dialog.getByLabel('Because').fill('its work directory is empty');
    await operator.dialog.getByRole('button', { name: 'Record the decision' }).click();
    await operator.sees('None. Every outcome is known.');
    await operator.page.goBack();
    await operator.seesStatus('abandoned');
    await operator.sees('settled by operator');
    await operator.timeline.getByText('its work directory is empty').first().waitFor();
  });

  /** As the death of a machine would: the agent and the program's whole group. The agent is started again at once. */
  const killNodeWith = (runId: string): void => {
    const work = findAllWork().filter((each) => each.work.startsWith(`${runId}/`));
    const groups = new Set(work.map(({ identity }) => groupOf(identity.pid)));
    expect(groups.size).toBeGreaterThan(0);
    stack.kill('node-agent', 'SIGKILL');
    for (const group of groups) process.kill(-group, 'SIGKILL');
  };

  it('says that the connection is lost when the gateway dies, and recovers by itself', async () => {
    await operator.openAs(stack.operatorToken);
    const runId = await operator.submit('ticker', '600');
    await ticksShown(1);
    await operator.sees('live', operator.page.getByRole('banner'));
    stack.kill('gateway', 'SIGKILL');
    await operator.sees('Connection lost. What you see may be old.');
    await operator.sees('tick 1 of', operator.output); // What was there stays.
    await operator.page.getByText('Connection lost.').waitFor({ state: 'hidden' });
    await operator.page.getByRole('banner').getByText('live', { exact: true }).waitFor();
    const seen = (await linesShown()).length;
    await ticksShown(seen + 2);
    const ticks = (await linesShown()).map((line) => Number(/^tick (\d+) of/.exec(line)?.[1]));
    expect(ticks).toEqual(ticks.map((_, index) => index + 1)); // None twice, none left out.
    await client.stop(runId);
    await operator.seesStatus('stopped');
  });

  it('offers a viewer nothing that it may not do, and says why', async () => {
    const running = await client.submit('ticker', '600');
    await client.untilStatus(running.runId, 'running');
    const viewer = await tokenFor('viewer');
    await operator.openAs(viewer.token);
    await operator.sees('Submitting takes an operator or an agent. You are signed in as viewer.');
    expect(await operator.page.getByRole('form').count()).toBe(0);
    await operator.row(running.runId).getByRole('link').first().click();
    await operator.sees('Stopping takes an operator or an agent. You are signed in as viewer.');
    await ticksShown(1);
    expect(await operator.page.getByRole('button', { name: /Stop/ }).count()).toBe(0);
    await client.stop(running.runId);
    await operator.seesStatus('stopped');
  });

  it('asks to sign in again when its token is revoked', async () => {
    const { token, tokenHash } = await tokenFor('viewer');
    await operator.openAs(token);
    await operator.heading('Runs').waitFor();
    await client.post('/v1/tokens/revoke', { tokenHash }, randomUUID());
    await operator.sees('Your token is no longer valid. Sign in again.');
    await operator.signIn(stack.operatorToken);
    await operator.sees('user:operator · operator · main');
  });

  const tokenFor = async (role: string): Promise<{ token: string; tokenHash: string }> => {
    const body = { principal: `user:${role}-${randomUUID().slice(0, 8)}`, role };
    return (
      await client.post<{ token: string; tokenHash: string }>('/v1/tokens', body, randomUUID())
    ).body;
  };

  it('fits on a narrow screen', async () => {
    await operator.page.setViewportSize({ width: 390, height: 844 });
    await operator.open();
    await operator.page.getByLabel('Token').waitFor();
    expect(await operator.overflow()).toBe(0);
    const { runId } = await client.submit('echo', 'a-word-that-never-ends-'.repeat(40));
    await client.untilStatus(runId, 'completed');
    await operator.signIn(stack.operatorToken);
    await operator.row(runId).waitFor();
    expect(await operator.overflow()).toBe(0);
    await operator.row(runId).getByRole('link').first().click();
    await operator.sees('a-word-that-never-ends', operator.output);
    expect(await operator.overflow()).toBe(0);
    for (const tab of ['Nodes', 'Unknown'] as const) {
      await operator.goTo(tab);
      await operator.heading(tab === 'Nodes' ? 'Nodes' : 'Outcomes that are not known').waitFor();
      expect(await operator.overflow()).toBe(0);
    }
  });

  it('is kept in what the policy of the gateway allows', async () => {
    const answer = await operator.page.goto(stack.url);
    expect(answer?.headers()['content-security-policy']).toContain("script-src 'self'");
    // Whatever would break it is heard of: or the silence in the other scenarios would prove nothing.
    await operator.page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: '0' }))`,
    );
    await waitUntil('the complaint', () => watched.complaints.length > 0, SHOWN_WITHIN_MS);
    expect(watched.complaints.splice(0)).toEqual([
      expect.stringContaining('Content Security Policy'),
    ]);
  });
});
