import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmissionView } from '#contracts';
import { SERVICES } from '#local-stack';
import { isSettled } from '#runs/contract';
import { waitUntil } from '#testing';
import { Fixture, SHORT_WINDOWS } from './support/fixture.js';
import { projectionDifferences } from './support/checks.js';
import { brokenChains, runsOf } from './support/stream.js';

const LOAD = 30;
const STRANDED_MS = 20_000;
/** Services that hold connections to Postgres. */
const WITH_POOLS = SERVICES.filter(({ database }) => database).map(({ name }) => name);

/** Stores and services that are killed under load, and the windows in which a run could be lost or stranded. */
describe('an outage', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    // Longer than a service takes to start again on a busy machine.
    fixture = await Fixture.start({ windows: { ...SHORT_WINDOWS, strandedMs: STRANDED_MS } });
  }, 120_000);
  afterAll(() => fixture.destroy(), 60_000);

  const keys = (): readonly string[] => Array.from({ length: LOAD }, () => randomUUID());
  const submitAll = (some: readonly string[]): Promise<readonly SubmissionView[]> =>
    Promise.all(some.map((key) => fixture.client.submit('ledger', 'work:100 say:load', { key })));

  /** Nothing accepted is lost, nothing is doubled, and every service is ready again by itself. */
  const survives = async (kill: () => void): Promise<void> => {
    const some = keys();
    const before = runsOf(await fixture.stream.all()).size;
    const submitted = submitAll(some);
    await waitUntil('load', async () => (await fixture.stream.end()) > before + 5);
    kill();
    const accepted = await submitted;
    const again = await submitAll(some);
    expect(again.map(({ runId }) => runId)).toEqual(accepted.map(({ runId }) => runId));
    await waitUntil(
      'all of them to end',
      async () => {
        const runs = runsOf(await fixture.stream.all().catch(() => []));
        return accepted.every(({ runId }) => isSettled(runs.get(runId)?.status ?? 'none'));
      },
      90_000,
    );
    for (const { runId } of accepted) expect(await fixture.initials(runId)).toBe(1);
    const commits = await fixture.stream.allAnew();
    expect(runsOf(commits).size).toBe(before + LOAD);
    expect(brokenChains(commits)).toEqual([]);
    expect(await projectionDifferences(fixture)).toEqual([]);
    for (const name of Object.keys(fixture.stack.pids()))
      if (name !== 'nats-server' && name !== 'postgres') await fixture.stack.ready(name, 60_000);
  };

  it(
    'of the broker loses nothing and doubles nothing @FM-37',
    () => survives(() => fixture.stack.kill('nats-server', 'SIGKILL')),
    180_000,
  );

  it(
    'of the broker that ends in order loses nothing and doubles nothing @FM-37',
    () => survives(() => fixture.stack.kill('nats-server', 'SIGTERM')),
    180_000,
  );

  it(
    'of Postgres loses nothing and doubles nothing @FM-37',
    () => survives(() => fixture.stack.kill('postgres', 'SIGKILL')),
    180_000,
  );

  it(
    'of Postgres that ends in order loses nothing and doubles nothing @FM-37',
    () => survives(() => fixture.stack.kill('postgres', 'SIGINT')),
    180_000,
  );

  it('of Postgres while every pool is idle ends no service: not ready, ready again, asked with success @FM-60', async () => {
    const services = Object.keys(fixture.stack.pids()).filter(
      (name) => name !== 'nats-server' && name !== 'postgres',
    );
    await fixture.client.get('/v1/runs'); // Its pool holds an idle connection from here on.
    const seen = fixture.events.length;
    await fixture.stack.stopOne('postgres');
    for (const name of WITH_POOLS)
      await waitUntil(`${name} to say no`, async () => !(await fixture.isReady(name)));
    await fixture.stack.startAgain('postgres');
    for (const name of services) await waitUntil(`${name} to say yes`, () => fixture.isReady(name));
    await fixture.client.get('/v1/runs');
    const ended = fixture.events.slice(seen).filter(({ kind }) => kind === 'ended');
    expect(ended.filter(({ name }) => name !== 'postgres')).toEqual([]);
  }, 120_000);

  it(
    'of both at once loses nothing and doubles nothing',
    () =>
      survives(() => {
        fixture.stack.kill('nats-server', 'SIGKILL');
        fixture.stack.kill('postgres', 'SIGKILL');
      }),
    180_000,
  );

  it(
    'of every service at once loses nothing and doubles nothing',
    () =>
      survives(() => {
        for (const name of Object.keys(fixture.stack.pids())) fixture.stack.kill(name, 'SIGKILL');
      }),
    180_000,
  );

  it('between the acceptance of a run and its dispatch only delays it @FM-24', async () => {
    await fixture.stack.stopOne('sagas');
    const { runId } = await fixture.client.submit('ledger', 'say:later');
    fixture.stack.kill('commands', 'SIGKILL');
    await fixture.stack.startAgain('sagas');
    await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);

  it('after an outcome was recorded makes no second one @FM-39', async () => {
    const { runId } = await fixture.client.submit('ledger', 'work:300 say:outcome');
    await waitUntil(
      'the outcome',
      async () => (await fixture.stream.run(runId)).some(({ type }) => type === 'RunCompleted'),
      30_000,
    );
    // The saga has the event, and has perhaps not acknowledged it: it will be delivered again.
    fixture.stack.kill('sagas', 'SIGKILL');
    await fixture.stack.ready('sagas');
    const next = await fixture.client.submit('ledger', 'say:next', { session: runId });
    await fixture.client.untilStatus(next.runId, 'completed');
    const types = (await fixture.stream.run(runId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'RunCompleted')).toHaveLength(1);
    expect(types.filter((type) => type === 'RunDispatched')).toHaveLength(1);
  }, 90_000);

  it('of the sagas, for longer than the window, strands a run that could have been dispatched @FM-17', async () => {
    await fixture.stack.stopOne('sagas');
    const { runId } = await fixture.client.submit('ledger', 'say:never');
    const run = await fixture.client.untilStatus(runId, 'failed');
    expect(run).toMatchObject({ code: 'RUN_STRANDED', settledBy: 'reconciler', attempts: 0 });
    const [submitted, stranded] = await fixture.stream.run(runId);
    expect((stranded?.data.at ?? 0) - (submitted?.data.at ?? 0)).toBeGreaterThanOrEqual(
      STRANDED_MS,
    );
    await fixture.stack.startAgain('sagas');
    const next = await fixture.client.submit('ledger', 'say:next');
    await fixture.client.untilStatus(next.runId, 'completed');
    expect((await fixture.stream.run(runId)).map(({ type }) => type)).toEqual([
      'RunSubmitted',
      'RunStranded',
    ]);
    expect(await fixture.initials(runId)).toBe(0);
  }, 90_000);

  it('of a node only makes its runs wait, and says so @FM-17', async () => {
    await fixture.stack.stopOne('node-agent-n1');
    const { runId } = await fixture.client.submit('ledger', 'say:back');
    // It may have been dispatched before the node's end was noticed: then nobody claims it, and it is taken back.
    await fixture.client.until(
      runId,
      'waiting for its node',
      ({ status, waitsFor }) => status === 'queued' && /n1/.test(waitsFor ?? ''),
    );
    await fixture.stack.startAgain('node-agent-n1');
    await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
  }, 90_000);
});
