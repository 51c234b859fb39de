import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RuleViolation } from '#kernel';
import { natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import { JSON_DEPTH_MAX, REQUEST_BYTES_MAX, type Problem } from './reply.js';
import { RequestClient } from './request-client.js';
import type { RequestServer } from './serve.js';
import { serveAsks, type ServeOptions } from './serve.js';

let server: NatsServerUnderTest;
let serving: NatsLink;
let asking: NatsLink;
let client: RequestClient;
beforeAll(async () => {
  server = await natsServerUnderTest();
  serving = await connectLink({ url: server.url, name: 'serving' });
  asking = await connectLink({ url: server.url, name: 'asking' });
  client = new RequestClient(asking);
}, 120_000);
afterAll(async () => {
  await asking?.close();
  await serving?.close();
  await server?.stop();
});

const servers: RequestServer[] = [];
afterEach(async () => {
  for (const one of servers.splice(0)) await one.close();
});

const unexpected: unknown[] = [];
const toProblem = (error: unknown): Problem | undefined =>
  error instanceof RuleViolation
    ? { code: error.code, message: error.message, retryable: false, details: error.details }
    : undefined;

const serve = async (
  subject: string,
  handler: Parameters<RequestServer['serve']>[1],
  options: Partial<ServeOptions> = {},
): Promise<RequestServer> => {
  const onUnexpected = (error: unknown): void => void unexpected.push(error);
  const one = await serveAsks(serving, subject, handler, { toProblem, onUnexpected, ...options });
  servers.push(one);
  return one;
};

const ask = async (subject: string, body: unknown, headers = {}, timeoutMs = 5_000) =>
  client.request(subject, body, { headers, timeoutMs });

/** Sends bytes as they are. @returns the error's code. */
const codeFor = async (subject: string, data: Uint8Array | string): Promise<string> => {
  const reply = await asking.connection.request(subject, data, { timeout: 5_000 });
  return reply.json<{ error: Problem }>().error.code;
};

describe('a request', () => {
  it('is answered with what its handler returns, and carries subject and headers', async () => {
    await serve('q.echo.*', async (data, request) => ({
      data,
      tokens: request.tokens,
      key: request.header('Idempotency-Key'),
      none: request.header('absent') ?? 'none',
    }));
    const answer = await ask('q.echo.n1', { ä: [1, 'ü'] }, { 'idempotency-key': 'k 1' });
    expect(answer).toStrictEqual({
      kind: 'answer',
      value: { data: { ä: [1, 'ü'] }, tokens: ['q', 'echo', 'n1'], key: 'k 1', none: 'none' },
    });
  });

  it('that must not happen is refused in the words of its rule', async () => {
    await serve('q.refuse', async () => {
      throw new RuleViolation('run.settled', { run: 'r-1' }, 'the run has ended');
    });
    expect(await ask('q.refuse', {})).toStrictEqual({
      kind: 'refused',
      error: {
        code: 'run.settled',
        message: 'the run has ended',
        retryable: false,
        details: { run: 'r-1' },
      },
    });
  });

  it('whose handler breaks is answered `internal`, without the reason, which is reported', async () => {
    const secret = new Error('password is 1234');
    await serve('q.break', async () => {
      throw secret;
    });
    const answer = await ask('q.break', {});
    expect(answer).toMatchObject({ kind: 'refused', error: { code: 'internal', retryable: true } });
    expect(JSON.stringify(answer)).not.toContain('1234');
    expect(unexpected).toContain(secret);
  });

  it('to nobody is certainly not delivered', async () => {
    expect(await ask('q.nobody', {})).toStrictEqual({ kind: 'not-delivered' });
  });

  it('that is not answered in time may have been acted on', async () => {
    let isActedOn = false;
    let finish: () => void = () => undefined;
    await serve('q.slow', async () => {
      isActedOn = true;
      await new Promise<void>((resolve) => (finish = resolve));
    });
    expect(await ask('q.slow', {}, {}, 100)).toMatchObject({ kind: 'no-answer' });
    expect(isActedOn).toBe(true);
    finish();
  });

  it('whose answer is none of ours was not answered', async () => {
    const subscription = serving.connection.subscribe('q.garbage', {
      callback: (_error, message) => void message.respond('{"fine":true}'),
    });
    await serving.connection.flush();
    expect(await ask('q.garbage', {})).toMatchObject({ kind: 'no-answer' });
    subscription.unsubscribe();
  });

  it('goes to one of the replicas of a service', async () => {
    const served: string[] = [];
    for (const replica of ['a', 'b'])
      await serve('q.shared', async () => void served.push(replica), { queue: 'service' });
    for (let index = 0; index < 20; index += 1) await ask('q.shared', index);
    expect(served).toHaveLength(20);
    expect(new Set(served)).toStrictEqual(new Set(['a', 'b']));
  });
});

describe('a request that can not be read', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const text = new TextEncoder();
  it.each<[string, Uint8Array | string, string]>([
    ['no bytes', '', 'malformed_json'],
    ['no JSON', '{"a":', 'malformed_json'],
    ['two values', '{}{}', 'malformed_json'],
    ['not UTF-8', Uint8Array.of(0x22, 0xc3, 0x28, 0x22), 'malformed_json'],
    ['a lone surrogate in UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), 'malformed_json'],
    ['a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d), 'malformed_json'],
    ['too deep', nested(JSON_DEPTH_MAX + 1), 'malformed_json'],
    ['far too deep', nested(200_000), 'malformed_json'],
    ['too large', text.encode(`"${'x'.repeat(REQUEST_BYTES_MAX)}"`), 'payload_too_large'],
  ])('is answered all the same: %s', async (_what, data, code) => {
    let wasHandled = false;
    await serve('q.strict', async () => {
      wasHandled = true;
    });
    expect(await codeFor('q.strict', data)).toBe(code);
    expect(wasHandled).toBe(false);
  });

  it('does not include what only looks deep, or is just as deep as allowed', async () => {
    await serve('q.strict', async (data) => data);
    const bracket = await ask('q.strict', { text: '[{'.repeat(100), quote: '\\"[' });
    expect(bracket.kind).toBe('answer');
    const reply = await asking.connection.request('q.strict', nested(JSON_DEPTH_MAX), {
      timeout: 5_000,
    });
    expect(reply.json()).toHaveProperty('ok');
  });
});

describe('a server', () => {
  it('takes a bounded number of requests at a time, and says so to the others', async () => {
    const waiting: (() => void)[] = [];
    await serve('q.busy', async () => new Promise<void>((resolve) => waiting.push(resolve)), {
      inFlightMax: 2,
    });
    const taken = [ask('q.busy', 1), ask('q.busy', 2)];
    const third = await ask('q.busy', 3);
    expect(third).toMatchObject({
      kind: 'refused',
      error: { code: 'overloaded', retryable: true },
    });
    expect(waiting).toHaveLength(2);
    for (const finish of waiting) finish();
    expect((await Promise.all(taken)).map(({ kind }) => kind)).toStrictEqual(['answer', 'answer']);
  });

  it('finishes what it has begun before it closes, and takes nothing new', async () => {
    const waiting: (() => void)[] = [];
    const closed = await serve('q.closing', async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return 'finished';
    });
    const inFlight = ask('q.closing', {});
    await waitUntil('it is being handled', () => waiting.length === 1);
    const closing = closed.close();
    const late = await waitUntil('nothing new is taken', async () => {
      const answer = await ask('q.closing', {}, {}, 200);
      return answer.kind === 'not-delivered' && answer;
    });
    for (const finish of waiting) finish();
    await closing;
    expect(await inFlight).toStrictEqual({ kind: 'answer', value: 'finished' });
    expect(late.kind).toBe('not-delivered');
  });

  it('answers even when its answer is too large to be sent', async () => {
    await serve('q.huge', async () => 'x'.repeat(2_000_000));
    expect(await ask('q.huge', {})).toMatchObject({ kind: 'refused', error: { code: 'internal' } });
  });
});
