import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '#testing';
import { killNodeWithGroupOf, killProgramsOf, programsOf } from './support/faults.js';
import { Fixture } from './support/fixture.js';

/** Programs, and what they started, that live on when their agent has died. */
describe('what outlives its agent', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.start();
  }, 120_000);
  afterAll(() => fixture.destroy(), 60_000);

  /** A run whose agent, shim and program were killed, and of whose program a child lives on, which its node has told. */
  const leftAlive = async (): Promise<string> => {
    const runId = await fixture.started('ledger', 'orphan:60000 work:60000');
    await waitUntil('the program and its orphan to run', () => programsOf(runId) >= 3);
    const line = (await fixture.ledger()).find(({ work }) => work.startsWith(`${runId}/`));
    killNodeWithGroupOf(fixture, line?.pid ?? 0);
    await waitUntil(
      'what is left alive to be told',
      async () =>
        (await fixture.client.timeline(runId)).some(({ data }) =>
          /still there: \d+/.test(JSON.stringify(data)),
        ),
      30_000,
    );
    return runId;
  };

  it('reports what a dead program left alive, and ends it when it is told to stop', async () => {
    const runId = await leftAlive();
    const run = await fixture.client.untilStatus(runId, 'unknown');
    expect(run.unknown).toMatchObject({ fenced: false });
    await fixture.client.stop(runId);
    await fixture.client.untilStatus(runId, 'stopped');
    expect(programsOf(runId)).toBe(0);
  }, 90_000);

  it('says when what was left alive has ended by itself; its session goes on', async () => {
    const runId = await leftAlive();
    const run = await fixture.client.untilStatus(runId, 'unknown');
    const next = await fixture.client.submit('ledger', 'say:next', { session: run.sessionId });
    await fixture.client.until(next.runId, 'queued', ({ status }) => status === 'queued');
    killProgramsOf(runId); // As whoever read its number in the evidence would.
    await fixture.client.until(
      runId,
      'fenced',
      ({ status, unknown }) => status === 'unknown' && unknown?.fenced === true,
    );
    await fixture.client.untilStatus(next.runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);

  it('adopts a program that outlived its agent, with its output and its exit @FM-08', async () => {
    const gate = fixture.gate();
    const runId = await fixture.started('ledger', `until:${gate.path} say:adopted`);
    fixture.stack.kill('node-agent-n1', 'SIGKILL');
    await gate.open();
    const run = await fixture.client.untilStatus(runId, 'completed');
    expect(run).toMatchObject({ exitCode: 0, attempts: 1 });
    // Output travels beside the outcome, and may come after it.
    await waitUntil(
      'its output',
      async () => (await fixture.client.output(runId)) === 'adopted\n',
      30_000,
    );
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);
});
