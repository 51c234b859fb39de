import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmissionView } from '#contracts';
import { connectLink, type NatsLink } from '#nats';
import { forgetMessageIds } from '../libs/nats/src/jetstream-under-test.fixture.js';
import { Client } from './support/client.js';
import { Fixture } from './support/fixture.js';
import { submitOverNats } from './support/nats-door.js';
import { runsOf } from './support/stream.js';

/** One key, one run: over both doors, two processes, restarts, time, tokens and workspaces. */
describe('an idempotency key', () => {
  let fixture: Fixture;
  let door: NatsLink;
  beforeAll(async () => {
    fixture = await Fixture.start({ replicas: { commands: 2 } });
    // The gateway's own user: what a service inside may ask.
    door = await connectLink({ url: fixture.stack.natsUrlFor('gateway'), name: 'test' });
  }, 120_000);
  afterAll(async () => {
    await door.close();
    await fixture.destroy();
  }, 60_000);

  const body = (prompt: string) => ({ agent: 'ledger', prompt });
  const overNats = async (prompt: string, key: string, token = fixture.stack.operatorToken) => {
    const answer = await submitOverNats(door, body(prompt), { token, key }, 20_000);
    if (answer.kind === 'answer')
      return { status: 202, runId: answer.value.value.runId, code: null };
    if (answer.kind === 'refused') return { status: 0, runId: null, code: answer.error.code };
    throw new Error(`no answer: ${answer.kind}`);
  };
  const overHttp = async (prompt: string, key: string, client = fixture.client) => {
    const answer = await client.insist<SubmissionView & { code?: string }>(
      '/v1/submissions',
      body(prompt),
      key,
    );
    const { runId = null, code = null } = answer.body as { runId?: string; code?: string };
    return { status: answer.status, runId, code, replayed: answer.replayed };
  };
  const runCount = async (): Promise<number> => runsOf(await fixture.stream.all()).size;
  const tokenOf = async (principal: string, workspace = 'main'): Promise<string> => {
    const issued = await fixture.client.insist<{ token: string }>(
      '/v1/tokens',
      { principal, role: 'operator', workspace },
      randomUUID(),
    );
    return issued.body.token;
  };

  it('makes one run of 50 requests at once, over two commands processes and both doors', async () => {
    const key = randomUUID();
    const before = await runCount();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index % 2 === 0 ? overHttp('say:once', key) : overNats('say:once', key),
      ),
    );
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
    expect(await runCount()).toBe(before + 1);
    const [{ runId } = { runId: null }] = answers;
    await fixture.client.untilStatus(runId ?? '', 'completed');
    expect(await fixture.initials(runId ?? '')).toBe(1);
  }, 90_000);

  it('is remembered over a restart of commands, and of the broker', async () => {
    const key = randomUUID();
    const first = await overHttp('say:first', key);
    for (const name of ['commands', 'commands-2', 'nats-server'])
      fixture.stack.kill(name, 'SIGKILL');
    const again = await overHttp('say:first', key);
    expect(again).toEqual({ ...first, replayed: true });
  }, 90_000);

  it('is remembered after the duplicate window of the broker', async () => {
    const key = randomUUID();
    const first = await overHttp('say:later', key);
    const admin = await connectLink({ url: fixture.stack.natsUrlFor('admin'), name: 'test' });
    await forgetMessageIds(admin);
    await admin.close();
    const before = await runCount();
    expect(await overHttp('say:later', key)).toEqual({ ...first, replayed: true });
    expect(await overNats('say:later', key)).toMatchObject({ runId: first.runId });
    expect(await runCount()).toBe(before);
  }, 90_000);

  it('is refused with another body, and changes nothing', async () => {
    const key = randomUUID();
    await overHttp('say:one', key);
    const before = await runCount();
    expect(await overHttp('say:other', key)).toMatchObject({
      status: 409,
      code: 'idempotency_conflict',
    });
    expect(await overNats('say:other', key)).toMatchObject({ code: 'idempotency_conflict' });
    expect(await runCount()).toBe(before);
  }, 90_000);

  it('belongs to its caller: another one makes a run of its own with it', async () => {
    const key = randomUUID();
    const other = new Client(fixture.stack.url, await tokenOf('user:other'));
    const mine = await overHttp('say:mine', key);
    const theirs = await overHttp('say:mine', key, other);
    expect(theirs.status).toBe(202);
    expect(theirs.runId).not.toBe(mine.runId);
  }, 90_000);

  it('outlives the token: a new one of the same caller finds the same run', async () => {
    const key = randomUUID();
    const before = new Client(fixture.stack.url, await tokenOf('user:rotating'));
    const after = new Client(fixture.stack.url, await tokenOf('user:rotating'));
    const first = await overHttp('say:rotated', key, before);
    expect(await overHttp('say:rotated', key, after)).toEqual({ ...first, replayed: true });
  }, 90_000);

  it('means nothing in another workspace', async () => {
    const key = randomUUID();
    const mine = await overHttp('say:here', key);
    const elsewhere = new Client(fixture.stack.url, await tokenOf('user:operator', 'elsewhere'));
    // The agent is not known there; and my run is not theirs to see.
    expect(await overHttp('say:here', key, elsewhere)).toMatchObject({
      status: 404,
      code: 'agent_not_found',
    });
    expect((await elsewhere.send(`/v1/runs/${mine.runId ?? ''}`, {})).status).toBe(404);
  }, 90_000);
});
