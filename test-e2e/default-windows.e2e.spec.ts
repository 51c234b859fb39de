import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silenceNodeAndKill } from './support/faults.js';
import { Fixture } from './support/fixture.js';

/** The promise, by the events' own times, with the windows that users get. */
const UNKNOWN_WITHIN_MS = 15_000;

describe('with the default windows', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.start({ windows: {} });
  }, 120_000);
  afterAll(async () => {
    fixture.stack.kill('node-agent-n1', 'SIGCONT');
    await fixture.destroy();
  }, 60_000);

  it('a run whose node dies is shown as unknown within 15 s of the death; its session waits, says for what, and goes on @FM-03', async () => {
    const runId = await fixture.started('ledger', 'work:120000');
    silenceNodeAndKill(fixture, runId);
    const diedAt = Date.now();
    const run = await fixture.client.untilStatus(runId, 'unknown');
    const shownAfterMs = Date.parse(run.unknown?.since ?? '') - diedAt;
    expect(shownAfterMs).toBeLessThanOrEqual(UNKNOWN_WITHIN_MS);
    expect(run).toMatchObject({ code: 'RUN_OUTCOME_UNKNOWN', unknown: { fenced: false } });
    const next = await fixture.client.submit('ledger', 'say:next', { session: run.sessionId });
    await fixture.client.until(
      next.runId,
      'waiting for the unknown one',
      ({ status, waitsFor }) => status === 'queued' && (waitsFor ?? '').includes(runId),
    );
    fixture.stack.kill('node-agent-n1', 'SIGCONT');
    await fixture.client.untilStatus(next.runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
  }, 120_000);

  it('a run is dispatched, claimed, started and completed', async () => {
    const { runId } = await fixture.client.submit('ledger', 'say:hello');
    await fixture.client.untilStatus(runId, 'completed');
    expect((await fixture.stream.run(runId)).map(({ type }) => type)).toEqual([
      'RunSubmitted',
      'RunDispatched',
      'RunClaimed',
      ...((await fixture.stream.run(runId)).some(({ type }) => type === 'RunReceiptsRecorded')
        ? ['RunReceiptsRecorded']
        : []),
      'RunCompleted',
    ]);
  }, 90_000);
});
