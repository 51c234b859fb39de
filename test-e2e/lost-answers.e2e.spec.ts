import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmissionView } from '#contracts';
import { connectLink, type NatsLink } from '#nats';
import { LossyProxy, waitUntil } from '#testing';
import { forgetMessageIds } from '../libs/nats/src/jetstream-under-test.fixture.js';
import { putBehindProxy, type BehindProxy } from './support/behind-proxy.js';
import { Fixture } from './support/fixture.js';
import { submitOverNats } from './support/nats-door.js';
import { brokenChains, runsOf } from './support/stream.js';

const body = { agent: 'ledger', prompt: 'say:once' };

/** Submissions whose answers are lost on the way, between the broker and the service or between the service and its caller. */
describe('a submission of which an answer is lost', () => {
  let fixture: Fixture;
  let commands: BehindProxy;
  let admin: NatsLink;
  beforeAll(async () => {
    fixture = await Fixture.start();
    commands = await putBehindProxy(fixture, 'commands');
    admin = await connectLink({ url: fixture.stack.natsUrlFor('admin'), name: 'test' });
  }, 120_000);
  afterAll(async () => {
    await admin?.close();
    await commands?.close();
    await fixture?.destroy();
  }, 60_000);

  const submit = (key: string) =>
    fixture.client.insist<SubmissionView>('/v1/submissions', body, key);
  const runCount = async (): Promise<number> => runsOf(await fixture.stream.all()).size;
  /** The run ran once, is one commit per decision, and is the only one that came to be. */
  const isOneRun = async (runId: string, before: number): Promise<void> => {
    await fixture.client.untilStatus(runId, 'completed');
    expect(await fixture.initials(runId)).toBe(1);
    const types = (await fixture.stream.run(runId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'RunSubmitted')).toHaveLength(1);
    expect(await runCount()).toBe(before + 1);
    const commits = await fixture.stream.allAnew();
    // The probe of the duplicate window is no aggregate: it is written without an expected sequence.
    expect(brokenChains(commits.filter(({ ref }) => ref.aggregate !== 'probe'))).toEqual([]);
  };

  it('by its append is one run, which its key finds again @FM-35', async () => {
    const key = randomUUID();
    const before = await runCount();
    const lost = commands.proxy.lost;
    commands.proxy.losePublishAcks(1);
    const first = await submit(key);
    expect(commands.proxy.lost).toBe(lost + 1);
    const again = await submit(key);
    expect(again).toMatchObject({ replayed: true, body: { runId: first.body.runId } });
    await isOneRun(first.body.runId, before);
  }, 90_000);

  it('because the connection was cut after its append was stored is one run @FM-36', async () => {
    const before = await runCount();
    const lost = commands.proxy.lost;
    commands.proxy.losePublishAcks(1);
    const asked = submit(randomUUID());
    await waitUntil('the append to be stored', () => commands.proxy.lost > lost);
    commands.proxy.cut();
    await isOneRun((await asked).body.runId, before);
  }, 90_000);

  it('because the connection was cut before its append was sent is one run @FM-36', async () => {
    const before = await runCount();
    commands.proxy.cut();
    await isOneRun((await submit(randomUUID())).body.runId, before);
  }, 90_000);

  it.each([
    ['commands', () => commands.killAndRestart()],
    ['the gateway', () => Promise.resolve(fixture.stack.kill('gateway', 'SIGKILL'))],
  ])(
    'because %s was killed between its append and its answer, again and again, is one run @FM-24',
    async (_what, kill) => {
      for (let round = 0; round < 3; round += 1) {
        const before = await runCount();
        const lost = commands.proxy.lost;
        commands.proxy.losePublishAcks(1); // Stored, and commands waits for a word about it.
        const asked = submit(randomUUID());
        await waitUntil('the append to be stored', () => commands.proxy.lost > lost);
        await kill();
        await isOneRun((await asked).body.runId, before);
      }
    },
    120_000,
  );

  it('by its caller is one run: at once, and after the broker forgot its message id @FM-38', async () => {
    const key = randomUUID();
    const before = await runCount();
    const proxy = await LossyProxy.start(fixture.stack.natsUrlFor('gateway'));
    const door = new URL(fixture.stack.natsUrlFor('gateway'));
    door.port = new URL(proxy.url).port;
    const caller = await connectLink({ url: door.href, name: 'gateway' });
    try {
      const token = fixture.stack.operatorToken;
      const ask = () => submitOverNats(caller, body, { token, key }, 2_000);
      proxy.lose(({ payload }) => payload.includes('"runId"'));
      expect((await ask()).kind).toBe('no-answer');
      expect(proxy.lost).toBe(1);
      proxy.deliverAll();
      const again = await waitUntil('an answer', async () => {
        const answer = await ask();
        return answer.kind === 'answer' ? answer.value : undefined;
      });
      expect(again.replayed).toBe(true);
      await forgetMessageIds(admin);
      expect(await ask()).toEqual({ kind: 'answer', value: again });
      await isOneRun(again.value.runId, before);
    } finally {
      await caller.close();
      await proxy.close();
    }
  }, 90_000);
});
