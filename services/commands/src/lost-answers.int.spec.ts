import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmissionAnswer } from '#contracts';
import { JetStreamEventStore, RequestClient, connectLink, type Answer, type NatsLink } from '#nats';
import { DEFAULT_WINDOWS, tokenHash } from '#platform';
import { LossyProxy, natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { joinOf, startCommands, type CommandsUnderTest } from './commands.fixture.js';

const TOKEN = 'operator-token-of-this-test';
/** A request that is being saved from a lost answer takes as long as the store waits for one, and some. */
const REQUEST_MAX_MS = 30_000;

/** The commands service behind a proxy that loses what the broker answers; the caller reaches the broker directly. */
describe('a submission whose append gets no answer', () => {
  let server: NatsServerUnderTest;
  let proxy: LossyProxy;
  let service: NatsLink;
  let caller: NatsLink;
  let commands: CommandsUnderTest;

  beforeAll(async () => {
    server = await natsServerUnderTest();
    proxy = await LossyProxy.start(server.url);
    service = await connectLink({ url: proxy.url, name: 'commands' });
    caller = await connectLink({ url: server.url, name: 'caller' });
    const operator = { principal: 'user:ada', role: 'operator', workspace: 'main' } as const;
    const tokens = [{ tokenHash: tokenHash(TOKEN), caller: operator }];
    commands = await startCommands(service, tokens, DEFAULT_WINDOWS);
    await join();
  }, 120_000);
  afterAll(async () => {
    await commands?.close();
    await service?.close();
    await caller?.close();
    await proxy?.close();
    await server?.stop();
  });

  const join = async (): Promise<void> => {
    const answer = await new RequestClient(caller).request(
      'hf.cmd.nodes.join.main.n1',
      joinOf(['echo']),
      { timeoutMs: REQUEST_MAX_MS },
    );
    expect(answer.kind).toBe('answer');
  };
  const submit = (key: string): Promise<Answer<SubmissionAnswer>> =>
    new RequestClient(caller).request<SubmissionAnswer>(
      'hf.cmd.runs.submit',
      { agent: 'echo', prompt: 'hello' },
      {
        headers: { authorization: `Bearer ${TOKEN}`, 'idempotency-key': key },
        timeoutMs: REQUEST_MAX_MS,
      },
    );
  /** Repeats under the same key, as a caller does that got no answer. */
  const insist = (key: string): Promise<SubmissionAnswer> =>
    waitUntil(
      'an answer to the submission',
      async () => {
        const answer = await submit(key);
        return answer.kind === 'answer' ? answer.value : undefined;
      },
      60_000,
    );
  const commitsOf = async (runId: string): Promise<number> => {
    const ref = { aggregate: 'run', workspace: 'main', id: runId };
    return (await new JetStreamEventStore(caller).read(ref, { consistency: 'leader' })).length;
  };

  it('is one run when the acknowledgement is swallowed; its key finds it again @FM-35', async () => {
    const key = randomUUID();
    const before = proxy.lost;
    proxy.losePublishAcks(1);
    const first = await insist(key);
    expect(proxy.lost).toBe(before + 1);
    expect(await commitsOf(first.value.runId)).toBe(1);
    expect(await insist(key)).toEqual({ value: first.value, replayed: true });
    expect(await commitsOf(first.value.runId)).toBe(1);
  }, 120_000);

  it('is one run when the connection is cut around the append @FM-36', async () => {
    const key = randomUUID();
    // After the broker stored it: the acknowledgement is lost, and then the connection.
    proxy.losePublishAcks(1);
    const before = proxy.lost;
    const asked = submit(key);
    await waitUntil('the append to be stored', () => proxy.lost > before, 30_000);
    proxy.cut();
    await asked;
    const { value } = await insist(key);
    expect(await commitsOf(value.runId)).toBe(1);
    // Before the broker got it: nothing is stored, and the repeat stores it once.
    const other = randomUUID();
    proxy.cut();
    const again = await insist(other);
    expect(await commitsOf(again.value.runId)).toBe(1);
    expect(again.value.runId).not.toBe(value.runId);
  }, 120_000);
});
