import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StopView } from '#contracts';
import { TURN_MAY_GO_ON } from '#runs/contract';
import { waitUntil } from '#testing';
import { programsOf } from './support/faults.js';
import { Fixture } from './support/fixture.js';

describe('a session and its stops', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.start({ node: { maxRuns: 2 } });
  }, 120_000);
  afterAll(() => fixture.destroy(), 60_000);

  const orderOf = async (runIds: readonly string[]): Promise<readonly string[]> =>
    (await fixture.ledger())
      .filter(({ kind }) => kind === 'initial')
      .map(({ work }) => work.split('/')[0] ?? '')
      .filter((runId) => runIds.includes(runId));

  it('runs one at a time, in the order of their acceptance', async () => {
    const opener = await fixture.client.submit('ledger', 'work:300');
    const runIds = [opener.runId];
    for (let index = 0; index < 3; index += 1) {
      const { runId } = await fixture.client.submit('ledger', 'work:50', {
        session: opener.sessionId,
      });
      runIds.push(runId);
    }
    for (const runId of runIds) await fixture.client.untilStatus(runId, 'completed');
    expect(await orderOf(runIds)).toEqual(runIds);
  }, 90_000);

  it('goes past a waiting run that was stopped', async () => {
    const opener = await fixture.client.submit('ledger', 'work:1000');
    const session = { session: opener.sessionId };
    const second = await fixture.client.submit('ledger', 'say:second', session);
    const third = await fixture.client.submit('ledger', 'say:third', session);
    await fixture.client.stop(second.runId);
    await fixture.client.untilStatus(second.runId, 'stopped');
    await fixture.client.untilStatus(third.runId, 'completed');
    expect(await fixture.initials(second.runId)).toBe(0);
  }, 90_000);

  it('refuses another agent, and a session that is not there', async () => {
    const opener = await fixture.client.submit('ledger', 'say:opener');
    const foreign = { agent: 'turns', prompt: 'say hello', session: opener.sessionId };
    expect(await fixture.client.post('/v1/submissions', foreign, 'session-mismatch')).toMatchObject(
      {
        status: 409,
        body: { code: 'session_agent_mismatch' },
      },
    );
    const absent = {
      agent: 'ledger',
      prompt: 'say:x',
      session: '00000000-0000-4000-8000-000000000000',
    };
    expect(await fixture.client.post('/v1/submissions', absent, 'session-absent')).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    });
  }, 90_000);

  it('stops a running program and all that it started, and says what was proven', async () => {
    const { runId } = await fixture.client.submit('ledger', 'orphan:60000 work:60000');
    await waitUntil('the program and its child to run', () => programsOf(runId) >= 3, 30_000);
    const { stopId } = await fixture.client.stop(runId);
    await fixture.client.untilStatus(runId, 'stopped');
    expect(programsOf(runId)).toBe(0);
    const stop = await fixture.client.get<StopView>(`/v1/stops/${stopId}`);
    expect(stop).toMatchObject({ outcome: 'proven', remains: [], runStatus: 'stopped' });
  }, 90_000);

  it('stops a turn in its runtime, and says whether the runtime confirmed that', async () => {
    const atWork = async (): Promise<string> => {
      const { runId } = await fixture.client.submit('turns', `until ${fixture.gate().path}`);
      await fixture.client.until(runId, 'observed', ({ receipts }) => receipts.observedAt !== null);
      return runId;
    };
    const stopOf = async (runId: string): Promise<StopView> => {
      const { stopId } = await fixture.client.stop(runId);
      await fixture.client.untilStatus(runId, 'stopped');
      return fixture.client.get<StopView>(`/v1/stops/${stopId}`);
    };
    expect(await stopOf(await atWork())).toMatchObject({ outcome: 'proven', remains: [] });

    const unheard = await atWork();
    process.kill(fixture.turnsRuntime.pid, 'SIGSTOP');
    const stop = await stopOf(unheard);
    process.kill(fixture.turnsRuntime.pid, 'SIGCONT');
    expect(stop).toMatchObject({ outcome: 'unknown', proof: 'none', remains: [TURN_MAY_GO_ON] });
    expect(programsOf(unheard)).toBe(0);
  }, 90_000);

  it('stops at once what no node has claimed, and a place that becomes free goes to who waits', async () => {
    const busy = await Promise.all([0, 1].map(() => fixture.client.submit('ledger', 'work:4000')));
    for (const { runId } of busy)
      await waitUntil(`${runId} to run`, async () => (await fixture.initials(runId)) === 1, 30_000);
    const waiting = await fixture.client.submit('ledger', 'say:waited');
    const stopped = await fixture.client.submit('ledger', 'say:never');
    await fixture.client.untilStatus(waiting.runId, 'dispatched');
    await fixture.client.stop(stopped.runId);
    await fixture.client.untilStatus(stopped.runId, 'stopped');
    await fixture.client.untilStatus(waiting.runId, 'completed');
    expect(await fixture.initials(stopped.runId)).toBe(0);
    expect(await fixture.initials(waiting.runId)).toBe(1);
  }, 90_000);
});
