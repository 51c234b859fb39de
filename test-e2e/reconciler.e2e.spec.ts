import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '#testing';
import { Fixture, SHORT_WINDOWS } from './support/fixture.js';

/** So many passes take longer than any window after which something would be concluded. */
const PASSES = (2 * SHORT_WINDOWS.strandedMs) / SHORT_WINDOWS.sweepMs;

/** A run that works for longer than every window, and a reconciler that looks at it all the while. */
describe('the reconciler', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.start();
  }, 120_000);
  afterAll(async () => {
    fixture.stack.kill('nats-server', 'SIGCONT');
    await fixture.destroy();
  }, 60_000);

  const atWork = async () => {
    const gate = fixture.gate();
    const runId = await fixture.started('ledger', `until:${gate.path} say:worked`);
    await fixture.client.until(
      runId,
      'running and sent',
      ({ status, receipts }) => status === 'running' && receipts.sentAt !== null,
    );
    return { gate, runId };
  };
  const counted = async (name: string, more: number): Promise<void> => {
    const before = await fixture.counter('reconciler', name);
    await waitUntil(
      `${String(more)} more ${name}`,
      async () => (await fixture.counter('reconciler', name)) >= before + more,
      60_000,
    );
  };

  it('leaves a run alone whose node is alive, however long it takes @FM-19', async () => {
    const { gate, runId } = await atWork();
    const end = await fixture.stream.end();
    await counted('reconciler_passes_total', PASSES);
    expect(await fixture.stream.end()).toBe(end);
    await gate.open();
    await fixture.client.untilStatus(runId, 'completed');
  }, 120_000);

  it('concludes nothing while the broker can not be asked, and counts that @FM-19', async () => {
    const { gate, runId } = await atWork();
    const before = (await fixture.stream.run(runId)).length;
    fixture.stack.kill('nats-server', 'SIGSTOP');
    // For longer than the lease of a node, by the reconciler's own look at it.
    await counted('reconciler_skipped_unreachable_total', 20);
    fixture.stack.kill('nats-server', 'SIGCONT');
    await counted('reconciler_passes_total', PASSES);
    expect(await fixture.stream.run(runId)).toHaveLength(before);
    await gate.open();
    await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
  }, 120_000);
});
