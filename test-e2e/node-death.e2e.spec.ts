import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunView } from '#contracts';
import { waitUntil } from '#testing';
import { killNodeWith, killProgramsOf, programsOf, silenceNodeAndKill } from './support/faults.js';
import { Fixture } from './support/fixture.js';

/** Runs of a node whose agent, or agent and programs, die in the middle of them. */
describe('the death of a node', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.start({ ledgerAgent: { timeLimitMs: 20_000 } });
  }, 120_000);
  afterEach(async () => {
    fixture.stack.kill('node-agent-n1', 'SIGCONT');
    await fixture.turnsRuntime.behave({
      abortWhenClientDies: 0,
      hold: 'none',
      readBackByClientId: true,
    });
  });
  afterAll(() => fixture.destroy(), 60_000);

  const typesOf = async (runId: string): Promise<readonly string[]> =>
    (await fixture.stream.run(runId)).map(({ type }) => type);
  const turnsOf = (runId: string, kind: string): number =>
    fixture.turns().filter((line) => line.kind === kind && line.thread === threadOf(runId)).length;
  const threadOf = (runId: string): string | null | undefined =>
    fixture.turns().find((line) => line.kind === 'initial' && line.clientId === runId)?.thread;

  it('resumes a turn that its runtime aborted, with one recovery prompt and no second initial one @FM-01', async () => {
    await fixture.turnsRuntime.behave({ abortWhenClientDies: 1 });
    // Only the recovered turn gets past its hang: the first one can not finish before its runtime sees the client die.
    const runId = await fixture.started('turns', 'hang; say recovered');
    await fixture.client.until(runId, 'observed', ({ receipts }) => receipts.observedAt !== null);
    killNodeWith(fixture, runId);
    const run = await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
    expect(turnsOf(runId, 'recovery')).toBe(1);
    expect(run).toMatchObject({ attempts: 2, receipts: { thread: threadOf(runId) } });
    expect((await typesOf(runId)).filter((type) => type === 'RunCompleted')).toHaveLength(1);
  }, 90_000);

  it('reads back a turn that its runtime finished alone, and sends nothing @FM-02', async () => {
    const gate = fixture.gate();
    const runId = await fixture.started('turns', `until ${gate.path}; say finished-alone`);
    await fixture.client.until(runId, 'observed', ({ receipts }) => receipts.observedAt !== null);
    killNodeWith(fixture, runId);
    await gate.open();
    const run = await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
    expect(turnsOf(runId, 'recovery')).toBe(0);
    expect(run.attempts).toBe(2);
    await waitUntil('the answer to be shown', async () =>
      (await fixture.client.output(runId)).includes('finished-alone'),
    );
  }, 90_000);

  it('shows a single-attempt run as unknown, once, sends nothing, and lets its session go on @FM-03', async () => {
    const runId = await fixture.started('ledger', 'work:60000');
    killNodeWith(fixture, runId);
    // On a busy machine the lease may expire before the agent is back: then a saga says it first, and the node fences it.
    const run = await fixture.client.until(runId, 'unknown and fenced', fenced);
    expect(run.code).toMatch(/^(RUN|TURN)_OUTCOME_UNKNOWN$/);
    const next = await fixture.client.submit('ledger', 'say:next', { session: run.sessionId });
    await fixture.client.untilStatus(next.runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
    expect((await typesOf(runId)).filter((type) => type === 'RunOutcomeUnknown')).toHaveLength(1);
    expect(await fixture.client.unknowns()).toContain(runId);
  }, 90_000);

  it('ends a single-attempt run at a graceful stop of its agent, says that it can not be known, and exits 0 @FM-04', async () => {
    const runId = await fixture.started('ledger', 'work:60000');
    const seen = fixture.events.length;
    fixture.stack.kill('node-agent-n1', 'SIGTERM');
    const ended = await waitUntil(
      'the agent to end',
      () =>
        fixture.events
          .slice(seen)
          .find((event) => event.kind === 'ended' && event.name === 'node-agent-n1'),
      15_000,
    );
    expect(ended).toMatchObject({ exit: { code: 0 } });
    const run = await fixture.client.untilStatus(runId, 'unknown');
    expect(run.code).toBe('TURN_OUTCOME_UNKNOWN');
    expect(`${run.unknown?.reason ?? ''} ${run.unknown?.advice ?? ''}`).not.toMatch(
      /stopped by (an )?operator/i,
    );
    expect(programsOf(runId)).toBe(0);
    expect((await typesOf(runId)).filter((type) => type === 'RunClaimed')).toHaveLength(1);
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);

  it('leaves a resumable run going at a graceful stop of its agent; the next incarnation finishes it @FM-05', async () => {
    const gate = fixture.gate();
    const runId = await fixture.started('turns', `until ${gate.path}; say outlived`);
    await fixture.client.until(runId, 'observed', ({ receipts }) => receipts.observedAt !== null);
    fixture.stack.kill('node-agent-n1', 'SIGTERM');
    await gate.open();
    await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
    expect(turnsOf(runId, 'recovery')).toBe(0);
    expect((await typesOf(runId)).filter((type) => type === 'RunCompleted')).toHaveLength(1);
  }, 90_000);

  it('reads back an answer that was there before its client died @FM-08', async () => {
    await fixture.turnsRuntime.behave({ hold: 'end' });
    const runId = await fixture.started('turns', 'work 100ms; say there-already');
    await fixture.client.until(runId, 'observed', ({ receipts }) => receipts.observedAt !== null);
    await fixture.turnsRuntime.behave({ hold: 'none' });
    killNodeWith(fixture, runId);
    await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
    expect(turnsOf(runId, 'recovery')).toBe(0);
    expect((await typesOf(runId)).filter((type) => type === 'RunCompleted')).toHaveLength(1);
  }, 90_000);

  it('finds a turn by its key when its names were never learnt @FM-09', async () => {
    await fixture.turnsRuntime.behave({ hold: 'ack' });
    const runId = await fixture.started('turns', 'work 300ms; say found-by-key');
    await fixture.client.until(runId, 'sent', ({ receipts }) => receipts.sentAt !== null);
    expect((await fixture.client.run(runId)).receipts.turn).toBeNull();
    await fixture.turnsRuntime.behave({ hold: 'none' });
    killNodeWith(fixture, runId);
    const run = await fixture.client.untilStatus(runId, 'completed');
    expect(run.receipts.thread).toBe(threadOf(runId));
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);

  it('gives up after the fifth attempt that came to nothing, once; its session goes on @FM-11', async () => {
    await fixture.turnsRuntime.behave({ abortWhenClientDies: 1 });
    const runId = await fixture.started('turns', `until ${fixture.gate().path}`);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await fixture.client.until(
        runId,
        `at work for the ${String(attempt)}. time`,
        ({ attempts, status }) => attempts === attempt && status === 'running',
      );
      await waitUntil('its driver to run', () => programsOf(runId) >= 2, 30_000);
      killProgramsOf(runId);
    }
    const run = await fixture.client.untilStatus(runId, 'failed');
    expect(run).toMatchObject({ code: 'RUN_ATTEMPTS_EXHAUSTED', attempts: 5, attemptsMax: 5 });
    expect(await fixture.initials(runId)).toBe(1);
    const next = await fixture.client.submit('turns', 'say next', { session: run.sessionId });
    await fixture.client.untilStatus(next.runId, 'completed');
    expect((await typesOf(runId)).filter((type) => type === 'RunFailed')).toHaveLength(1);
    expect((await typesOf(runId)).filter((type) => type === 'RunDispatched')).toHaveLength(5);
  }, 120_000);

  it('says that it can not know when the runtime can not be asked by key, and sends nothing @FM-09', async () => {
    await fixture.turnsRuntime.behave({ hold: 'ack', readBackByClientId: false });
    const runId = await fixture.started('turns', 'work 300ms; say unfindable');
    await fixture.client.until(runId, 'sent', ({ receipts }) => receipts.sentAt !== null);
    await fixture.turnsRuntime.behave({ hold: 'none' });
    killNodeWith(fixture, runId);
    await fixture.client.until(runId, 'unknown and fenced', fenced);
    expect(await fixture.initials(runId)).toBe(1);
    expect(turnsOf(runId, 'recovery')).toBe(0);
  }, 90_000);

  it('ends a run at its time limit and calls it unknown, not stopped; the next request is taken @FM-12', async () => {
    const runId = await fixture.started('ledger', 'hang');
    const run = await fixture.client.untilStatus(runId, 'unknown');
    expect(run).toMatchObject({
      code: 'TURN_OUTCOME_UNKNOWN',
      unknown: { fenced: true },
      stop: null,
    });
    expect(run.unknown?.reason).toContain('time limit');
    expect(programsOf(runId)).toBe(0);
    const next = await fixture.client.submit('ledger', 'say:next', { session: run.sessionId });
    await fixture.client.untilStatus(next.runId, 'completed');
  }, 90_000);

  it('records what a frozen agent says after its run was settled, and changes nothing @FM-13', async () => {
    const gate = fixture.gate();
    const runId = await fixture.started('ledger', `until:${gate.path} say:late`);
    fixture.stack.kill('node-agent-n1', 'SIGSTOP');
    await fixture.client.untilStatus(runId, 'unknown');
    await fixture.client.resolve(runId, 'abandoned');
    await gate.open();
    fixture.stack.kill('node-agent-n1', 'SIGCONT');
    const run = await fixture.client.until(
      runId,
      'told of late',
      ({ lateEvidence }) => lateEvidence > 0,
    );
    expect(run).toMatchObject({ status: 'abandoned', settledBy: 'operator', alarming: false });
    const types = await typesOf(runId);
    expect(types.filter((type) => type === 'RunCompleted')).toEqual([]);
    expect(types.filter((type) => type === 'RunResolved')).toHaveLength(1);
  }, 90_000);

  it('settles an unknown run by the proof that its node brings back', async () => {
    const gate = fixture.gate();
    const runId = await fixture.started('ledger', `until:${gate.path} say:proof`);
    fixture.stack.kill('node-agent-n1', 'SIGSTOP');
    const unknown = await fixture.client.untilStatus(runId, 'unknown');
    expect(unknown).toMatchObject({ code: 'RUN_OUTCOME_UNKNOWN', unknown: { fenced: false } });
    await gate.open();
    fixture.stack.kill('node-agent-n1', 'SIGCONT');
    await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);

  it('finds a run whose node is silent, says so once, and does not find it again @FM-18', async () => {
    const runId = await fixture.started('ledger', 'work:60000');
    silenceNodeAndKill(fixture, runId);
    const run = await fixture.client.untilStatus(runId, 'unknown');
    expect(run.code).toBe('RUN_OUTCOME_UNKNOWN');
    const end = await fixture.stream.end();
    const passes = await fixture.counter('reconciler', 'reconciler_passes_total');
    await waitUntil(
      'two more passes',
      async () => (await fixture.counter('reconciler', 'reconciler_passes_total')) >= passes + 2,
      30_000,
    );
    expect(await fixture.stream.end()).toBe(end);
    expect(await fixture.client.unknowns()).toContain(runId);
    expect((await typesOf(runId)).filter((type) => type === 'RunOutcomeUnknown')).toHaveLength(1);
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);

  it.each([0, 3])(
    'calls a program that ends without a word, with exit code %i, failed, and does not try again @FM-46',
    async (exitCode) => {
      const { runId } = await fixture.client.submit('ledger', `silent exit:${String(exitCode)}`);
      const run = await fixture.client.untilStatus(runId, 'failed');
      expect(run).toMatchObject({ code: 'AGENT_NO_OUTPUT', exitCode, attempts: 1, attemptsMax: 1 });
      expect(await fixture.initials(runId)).toBe(1);
      const next = await fixture.client.submit('ledger', 'say:next', { session: run.sessionId });
      await fixture.client.untilStatus(next.runId, 'completed');
    },
    90_000,
  );
});

const fenced = (run: RunView): boolean => run.status === 'unknown' && run.unknown?.fenced === true;
