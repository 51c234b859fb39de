import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Problem } from '#contracts';
import type { Answer } from '#nats';
import { waitUntil } from '#testing';
import { FakeUpstream, GatewayUnderTest, answer, refuse } from './gateway.fixture.js';
import { LAG_MAX_MS } from './health/readiness.js';

const RUN = '11111111-1111-4111-8111-111111111111';
const submission = { agent: 'echo', prompt: 'Hello' };

const upstream = new FakeUpstream();
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await GatewayUnderTest.start(upstream);
});
beforeEach(() => upstream.forget());
afterAll(() => gateway.close());

const problem = async (response: Response): Promise<Problem> => {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const shown = (await response.json()) as Problem;
  expect(shown.status).toBe(response.status);
  expect(shown.requestId).toBe(response.headers.get('x-request-id'));
  return shown;
};

describe('a read', () => {
  const page = { items: [], nextCursor: null };
  it.each([
    ['/v1/runs', 'hf.qry.runs.list', {}],
    [
      '/v1/runs?status=queued,running&agent=echo&node=n1&limit=5&since=2026-11-29T10:00:00.000Z',
      'hf.qry.runs.list',
      {
        status: ['queued', 'running'],
        agent: 'echo',
        node: 'n1',
        limit: 5,
        since: '2026-11-29T10:00:00.000Z',
      },
    ],
    ['/v1/runs?status=queued&status=failed', 'hf.qry.runs.list', { status: ['queued', 'failed'] }],
    ['/v1/unknowns?limit=1&cursor=r', 'hf.qry.unknowns.list', { limit: 1, cursor: 'r' }],
    [`/v1/runs/${RUN}`, 'hf.qry.runs.get', { id: RUN }],
    [`/v1/runs/${RUN}/timeline?after=7`, 'hf.qry.runs.timeline', { id: RUN, after: 7 }],
    [`/v1/runs/${RUN}/output?limit=3`, 'hf.qry.runs.output', { id: RUN, limit: 3 }],
    ['/v1/agents?node=n1', 'hf.qry.agents.list', { node: 'n1' }],
    ['/v1/agents/echo', 'hf.qry.agents.get', { id: 'echo' }],
    ['/v1/nodes?cursor=abc', 'hf.qry.nodes.list', { cursor: 'abc' }],
    ['/v1/nodes/local', 'hf.qry.nodes.get', { id: 'local' }],
    [`/v1/sessions/${RUN}`, 'hf.qry.sessions.get', { id: RUN }],
    [`/v1/stops/${RUN}`, 'hf.qry.stops.get', { id: RUN }],
    ['/v1/projections', 'hf.qry.projections.list', {}],
    ['/v1/me', 'hf.qry.access.identify', {}],
  ])('of %s asks %s, and answers what that answers', async (path, subject, body) => {
    upstream.on(subject, () => answer(page));
    const response = await gateway.get(path, { 'x-request-id': 'req-7' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(page);
    expect(response.headers.get('x-request-id')).toBe('req-7');
    expect(upstream.asked).toEqual([
      {
        subject,
        body,
        headers: {
          authorization: 'Bearer token-1',
          'hf-request-id': 'req-7',
        },
      },
    ]);
  });

  it.each([
    '/v1/runs?limit=0',
    '/v1/runs?limit=-1',
    '/v1/runs?limit=201',
    '/v1/runs?limit=1e2',
    '/v1/runs?limit=1&limit=2',
    '/v1/runs?status=sleeping',
    '/v1/runs?status=',
    '/v1/runs?since=yesterday',
    '/v1/runs?agent=a.b',
    '/v1/runs?colour=red',
    '/v1/runs?__proto__=x',
    '/v1/runs/1',
    `/v1/runs/${RUN.toUpperCase().replace('1', 'A')}`,
    `/v1/runs/${RUN}/output?after=-1`,
    `/v1/runs/${RUN}/timeline?limit=x`,
    '/v1/nodes/a.b',
    '/v1/agents/a%20b',
    '/v1/sessions/x',
    '/v1/runs/%zz',
  ])('of %s is refused before anybody is asked', async (path) => {
    const response = await gateway.get(path);
    expect(await problem(response)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(upstream.asked).toEqual([]);
  });

  it.each([
    ['run_not_found', 404],
    ['forbidden', 403],
    ['unauthenticated', 401],
    ['unavailable', 503],
    ['overloaded', 503],
    ['never_heard_of', 409],
  ])('that is refused with %s is answered %i', async (code, status) => {
    upstream.on('hf.qry.runs.get', () => refuse(code));
    const response = await gateway.get(`/v1/runs/${RUN}`);
    expect(await problem(response)).toMatchObject({ status, code, detail: `refused: ${code}` });
    expect(response.headers.get('www-authenticate') === null).toBe(status !== 401);
    expect(response.headers.get('retry-after') === null).toBe(status !== 503);
  });

  it('that nobody is there for is retryable, and so is one that is not answered', async () => {
    const away = await problem(await gateway.get(`/v1/runs/${RUN}`));
    expect(away).toMatchObject({ status: 503, code: 'service_unavailable', retryable: true });
    expect(upstream.asked.length).toBeGreaterThan(1);
    upstream.on('hf.qry.runs.get', () => ({ kind: 'no-answer', cause: new Error('secret') }));
    const silent = await problem(await gateway.get(`/v1/runs/${RUN}`));
    expect(silent).toMatchObject({ status: 503, code: 'no_answer', retryable: true });
    expect(JSON.stringify(silent)).not.toContain('secret');
    expect(upstream.to('hf.qry.runs.get').at(-2)?.body).toEqual({ id: RUN });
  });
});

describe('a command', () => {
  const accepted = { runId: RUN, sessionId: RUN, status: 'queued' };

  it.each([
    ['/v1/submissions', submission, 'hf.cmd.runs.submit', submission, 202],
    [
      `/v1/runs/${RUN}/resolution`,
      { as: 'failed', note: 'gone' },
      'hf.cmd.runs.resolve',
      { as: 'failed', note: 'gone', runId: RUN },
      200,
    ],
    [
      '/v1/stops',
      { target: { kind: 'run', id: RUN }, reason: 'enough' },
      'hf.cmd.stops.request',
      { target: { kind: 'run', id: RUN }, reason: 'enough' },
      202,
    ],
    [
      '/v1/tokens',
      { principal: 'user:ada', role: 'viewer' },
      'hf.cmd.access.issue-token',
      { principal: 'user:ada', role: 'viewer' },
      201,
    ],
    [
      '/v1/tokens/revoke',
      { tokenHash: 'a'.repeat(64) },
      'hf.cmd.access.revoke-token',
      { tokenHash: 'a'.repeat(64) },
      200,
    ],
  ])('to %s goes on as it was sent, under its key', async (path, body, subject, sent, status) => {
    upstream.on(subject, () => answer({ value: accepted, replayed: false }));
    const response = await gateway.post(path, body);
    expect(response.status).toBe(status);
    expect(response.headers.get('idempotency-replayed')).toBe(null);
    expect(await response.json()).toEqual(accepted);
    expect(upstream.asked).toMatchObject([
      { subject, body: sent, headers: { 'idempotency-key': 'key-1' } },
    ]);
  });

  it('that was given before is answered the same, and marked', async () => {
    upstream.on('hf.cmd.runs.submit', () => answer({ value: accepted, replayed: true }));
    const response = await gateway.post('/v1/submissions', submission);
    expect(response.status).toBe(202);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(await response.json()).toEqual(accepted);
  });

  it('whose answer is lost is repeated under the same key', async () => {
    let asked = 0;
    upstream.on('hf.cmd.runs.submit', () =>
      (asked += 1) === 1
        ? { kind: 'no-answer', cause: new Error('timeout') }
        : answer({ value: accepted, replayed: true }),
    );
    expect((await gateway.post('/v1/submissions', submission)).status).toBe(202);
    const keys = upstream.asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['key-1', 'key-1']);
  });

  it('that nobody answers is unknown, and says that repeating it is safe', async () => {
    upstream.on('hf.cmd.runs.submit', async () => ({ kind: 'no-answer', cause: new Error('x') }));
    const shown = await problem(await gateway.post('/v1/submissions', submission));
    expect(shown).toMatchObject({ status: 503, code: 'no_answer', retryable: true });
    expect(shown.detail).toContain('same Idempotency-Key is safe');
  });

  it('that nobody is there for certainly did not happen', async () => {
    const shown = await problem(await gateway.post('/v1/submissions', submission));
    expect(shown).toMatchObject({ status: 503, code: 'service_unavailable', retryable: true });
    expect(shown.detail).toContain('nothing happened');
  });

  it('whose first answer was lost stays unknown when then nobody is there', async () => {
    let asked = 0;
    upstream.on('hf.cmd.runs.submit', () =>
      (asked += 1) === 1 ? { kind: 'no-answer', cause: new Error('x') } : { kind: 'not-delivered' },
    );
    const shown = await problem(await gateway.post('/v1/submissions', submission));
    expect(shown).toMatchObject({ status: 503, code: 'no_answer' });
  });

  it('needs no other service than the one that decides it', async () => {
    upstream.on('hf.cmd.runs.submit', () => answer({ value: accepted, replayed: false }));
    await gateway.post('/v1/submissions', submission);
    expect(upstream.asked.map(({ subject }) => subject)).toEqual(['hf.cmd.runs.submit']);
  });

  const bad: readonly (readonly [string, unknown, string])[] = [
    ['an unknown field', { ...submission, priority: 1 }, 'priority'],
    ['a missing field', { agent: 'echo' }, 'prompt'],
    ['a wrong type', { agent: 'echo', prompt: 7 }, 'prompt'],
    ['a null', { ...submission, session: null }, 'session'],
    ['an array', [submission], ''],
    ['a text', '"x"', ''],
    ['null', 'null', ''],
    ['a forbidden name', '{"agent":"echo","prompt":"x","__proto__":{"a":1}}', ''],
    ['half a surrogate pair', '{"agent":"echo","prompt":"\\ud800"}', 'prompt'],
    ['a NUL', '{"agent":"echo","prompt":"a\\u0000b"}', 'prompt'],
    ['an empty prompt', { agent: 'echo', prompt: '' }, 'prompt'],
  ];
  it.each(bad)('with %s is refused, and says where', async (_what, body, path) => {
    const shown = await problem(await gateway.post('/v1/submissions', body));
    expect(shown).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(shown.errors?.map((error) => error.path)).toContain(path);
    expect(upstream.asked).toEqual([]);
  });

  it.each([
    ['no key', '', 'idempotency_key_required', 400],
    ['a key that is too long', 'x'.repeat(256), 'invalid_idempotency_key', 400],
    ['a key with a tab', 'a\tb', 'invalid_idempotency_key', 400],
  ])('with %s is refused', async (_what, key, code, status) => {
    const response = await gateway.post('/v1/submissions', submission, { 'idempotency-key': key });
    expect(await problem(response)).toMatchObject({ status, code });
    expect(upstream.asked).toEqual([]);
  });

  it('with a prompt that is too large is refused as such', async () => {
    const body = { agent: 'echo', prompt: 'x'.repeat(256 * 1024 + 1) };
    const shown = await problem(await gateway.post('/v1/submissions', body));
    expect(shown).toMatchObject({ status: 413, code: 'prompt_too_large' });
  });

  it('shows which fields the service behind refused', async () => {
    const details = { errors: [{ path: 'prompt', problem: 'no' }] };
    upstream.on('hf.cmd.runs.submit', () => refuse('invalid_request', false, details));
    const shown = await problem(await gateway.post('/v1/submissions', submission));
    expect(shown.errors).toEqual([{ path: 'prompt', problem: 'no' }]);
  });
});

describe('a request', () => {
  it.each([undefined, 'Basic x', 'Bearer', 'Bearer a b'])(
    'with the authorization %j is not let in, whatever it asks for',
    async (authorization) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const response = await fetch(`${gateway.url}/v1/submissions`, {
        method: 'POST',
        headers,
        body: 'x'.repeat(1_000),
      });
      expect(await problem(response)).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="holdfast"');
      expect(upstream.asked).toEqual([]);
    },
  );

  it('for an address where nothing is, is told so', async () => {
    for (const path of ['/v1', '/v1/', '/v2/runs', '/v1/runs/', `/v1/runs/${RUN}/nothing`, '/x'])
      expect(await problem(await gateway.get(path))).toMatchObject({
        status: 404,
        code: 'route_not_found',
      });
  });

  it.each([
    ['DELETE', `/v1/runs/${RUN}`, 'GET'],
    ['PUT', '/v1/submissions', 'POST'],
    ['GET', '/v1/submissions', 'POST'],
    ['POST', '/readyz', 'GET'],
  ])('%s %s is told what is there instead', async (method, path, allow) => {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { authorization: 'Bearer token-1' },
    });
    expect(await problem(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(response.headers.get('allow')).toBe(allow);
  });

  it('that meets a bug is answered 500 with its id, and only the log knows why', async () => {
    upstream.on('hf.qry.runs.get', () => {
      throw new Error('the database password is 12345');
    });
    const shown = await problem(await gateway.get(`/v1/runs/${RUN}`, { 'x-request-id': 'req-9' }));
    expect(shown).toMatchObject({ status: 500, code: 'internal', requestId: 'req-9' });
    expect(JSON.stringify(shown)).not.toContain('12345');
    expect(gateway.log.join('')).toContain('"requestId":"req-9"');
  });

  it('is counted by its route, and its token is in no log', async () => {
    const counted = async (): Promise<number> => {
      const text = await (await gateway.get('/metrics')).text();
      const line = /_requests_total\{route="\/v1\/runs\/:id",method="GET",status="200",.*\} (\d+)/;
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    upstream.on('hf.qry.runs.get', () => answer({}));
    await gateway.get(`/v1/runs/${RUN}`);
    await waitUntil('the request is counted', async () => (await counted()) === before + 1);
    expect(gateway.log.join('')).not.toContain('token-1');
  });
});

describe('readiness', () => {
  const health = { postgres: true, lagMs: 12, findings: [] as string[] };
  const allWell = () =>
    upstream
      .on('hf.cmd.runs.submit', () => refuse('unauthenticated'))
      .on('hf.qry.access.identify', () => refuse('unauthenticated'))
      .on('hf.qry.health.get', () => answer(health));

  it('is given when every part answers', async () => {
    allWell();
    const response = await fetch(`${gateway.url}/readyz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      ready: true,
      durability: { survives: 'power-loss' },
      projectionLagMs: 12,
    });
  });

  // Looks are shared for a moment: a gateway of its own for each.
  beforeEach(async () => {
    await gateway.close();
    gateway = await GatewayUnderTest.start(upstream);
  });

  it.each<[string[], string, Answer]>([
    [['commands'], 'hf.cmd.runs.submit', { kind: 'not-delivered' }],
    [['queries'], 'hf.qry.access.identify', { kind: 'not-delivered' }],
    [['postgres', 'projections'], 'hf.qry.health.get', { kind: 'not-delivered' }],
    [
      ['postgres', 'projections'],
      'hf.qry.health.get',
      answer({ ...health, postgres: false, lagMs: null }),
    ],
    [['projections'], 'hf.qry.health.get', answer({ ...health, lagMs: LAG_MAX_MS + 1 })],
    [['projections'], 'hf.qry.health.get', answer({ ...health, findings: ['runs: restored'] })],
  ])('is refused when this is wrong: %j', async (names, subject, wrong) => {
    allWell().on(subject, () => wrong);
    const response = await fetch(`${gateway.url}/readyz`);
    expect(response.status).toBe(503);
    const { checks } = (await response.json()) as { checks: Record<string, { ok: boolean }> };
    const faulty = Object.entries(checks).filter(([, { ok }]) => !ok);
    expect(faulty.map(([one]) => one)).toEqual(names);
  });

  it('does not say that the process is dead', async () => {
    expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
  });
});
