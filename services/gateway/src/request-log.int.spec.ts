import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '#testing';
import { FakeUpstream, GatewayUnderTest, answer, refuse } from './gateway.fixture.js';

const TASK = 'Sell-the-harbour';
const TOKEN = 'hf_token-of-an-agent';
const HASH = createHash('sha256').update(TOKEN).digest('hex');
const SUBMIT = 'hf.cmd.runs.submit';

const upstream = new FakeUpstream();
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await GatewayUnderTest.start(upstream);
});
beforeEach(() => {
  upstream.forget();
  gateway.log.length = 0;
});
afterAll(() => gateway.close());

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly requestId: string;
  readonly durationMs: number;
  readonly [field: string]: unknown;
}
const linesOf = (id: string): readonly Line[] =>
  gateway.log.map((line) => JSON.parse(line) as Line).filter(({ requestId }) => requestId === id);
/** The log is written once the answer has left. */
const lineOf = async (id: string): Promise<Line> => {
  await waitUntil('the request is in the log', () =>
    linesOf(id).some(({ msg }) => msg !== 'a request met a bug'),
  );
  return linesOf(id).at(-1)!;
};

const submit = (id: string, more: Readonly<Record<string, string>> = {}, body?: string) =>
  gateway.post('/v1/submissions', body ?? { agent: 'echo', prompt: TASK }, {
    authorization: `Bearer ${TOKEN}`,
    'x-request-id': id,
    ...more,
  });
const common = { method: 'POST', route: '/v1/submissions', authScheme: 'bearer', actor: HASH };

describe('the log of requests (@SP-82)', () => {
  it.each([
    ['refusal', 'info', 'idempotency_conflict', false, '409'],
    ['unavailable', 'warn', 'unavailable', true, '503'],
    ['fault', 'warn', 'internal', true, '500'],
  ])(
    'says of what was answered as %s what was asked, by whom and how it went',
    async (kind, level, code, again, status) => {
      upstream.on(SUBMIT, () => refuse(code, again));
      await submit('req-1');
      const { durationMs, ...line } = await lineOf('req-1');
      expect(line).toMatchObject({
        ...common,
        level,
        status,
        code,
        class: kind,
        reason: `refused: ${code}`,
      });
      expect(durationMs).toBeGreaterThanOrEqual(0);
    },
  );

  it('says no more of what was done than that it was, and only to who looks closely', async () => {
    upstream.on(SUBMIT, () => answer({ value: { runId: 'r', sessionId: 'r' }, replayed: false }));
    await submit('req-2');
    const line = await lineOf('req-2');
    expect(line).toMatchObject({ ...common, level: 'debug', msg: 'request answered' });
    expect(Object.keys(line)).not.toContain('code');
  });

  it.each([
    [undefined, 'none'],
    [TOKEN, 'other'],
    [`Basic ${TOKEN}`, 'other'],
    [`Bearer ${TOKEN} ${TOKEN}`, 'other'],
  ])('knows nobody by %j', async (authorization, authScheme) => {
    await fetch(`${gateway.url}/v1/runs`, {
      headers: { 'x-request-id': 'req-3', ...(authorization && { authorization }) },
    });
    expect(await lineOf('req-3')).toMatchObject({
      authScheme,
      actor: null,
      code: 'unauthenticated',
      class: 'refusal',
    });
    expect(gateway.log.join('')).not.toContain(TOKEN);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['a conflict', 'idempotency_conflict', () => submit('req-4')],
    ['a field that is not known', 'invalid_request', () => submit('req-4', {}, `{"${TASK}":1}`)],
    ['a field of the wrong type', 'invalid_request', () => submit('req-4', {}, `["${TASK}"]`)],
    ['no JSON', 'malformed_json', () => submit('req-4', {}, `{"prompt":"${TASK}" ${TOKEN}`)],
    ['no key', 'idempotency_key_required', () => submit('req-4', { 'idempotency-key': '' })],
    [
      'another type',
      'unsupported_media_type',
      () => submit('req-4', { 'content-type': 'text/plain' }),
    ],
    [
      'no such route',
      'route_not_found',
      () => gateway.get(`/v1/${TASK}?token=${TOKEN}`, { 'x-request-id': 'req-4' }),
    ],
    [
      'an address that says nothing',
      'invalid_request',
      () => gateway.get(`/v1/runs/%zz${TASK}`, { 'x-request-id': 'req-4' }),
    ],
  ])('holds neither task nor token of %s', async (_what, code, ask) => {
    upstream.on(SUBMIT, () => refuse(code, false, { errors: [{ path: TASK, problem: TASK }] }));
    await ask();
    expect(await lineOf('req-4')).toMatchObject({ code, class: 'refusal' });
    expect(gateway.log.join('')).not.toContain(TASK);
    expect(gateway.log.join('')).not.toContain(TOKEN);
  });

  it('has what is no request at all, too', async () => {
    const socket = connect(gateway.port, '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    socket.write(`${TASK} ${TOKEN}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    const text = gateway.log.join('');
    expect(text).toContain('"code":"malformed_http"');
    expect(text).not.toContain(TASK);
    expect(text).not.toContain(TOKEN);
  });
});
