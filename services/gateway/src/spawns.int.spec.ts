import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Problem } from '#contracts';
import { FakeUpstream, GatewayUnderTest, answer, refuse } from './gateway.fixture.js';

const SPAWN = '11111111-1111-4111-8111-111111111111';
const CONTRACT = 'relay.spawn.invoke.logical/1';
const STRICT = '/v1/actions/spawn/strict-invoke';
const REPLAY = '/v1/actions/spawn/replay';
const strict = {
  spawn_contract: CONTRACT,
  node_id: 'node-1',
  node_name: 'builder',
  agent_name: 'reviewer',
  harness: 'cli',
  task: 'Review it.',
};
const generic = { agentName: 'reviewer', harness: 'cli', task: 'Review it.' };
const view = { invocation_id: SPAWN, status: 'dispatched' };

/** Every command that there is, by its path in the description of the API: where it goes, and what it takes. */
const COMMANDS: Readonly<Record<string, readonly [path: string, body: object, subject: string]>> = {
  [STRICT]: [STRICT, strict, 'hf.cmd.spawns.strictInvoke'],
  [REPLAY]: [REPLAY, { spawn_contract: CONTRACT }, 'hf.cmd.spawns.replay'],
  '/v1/spawns': ['/v1/spawns', generic, 'hf.cmd.spawns.create'],
  '/v1/spawns/{id}/resolution': [
    `/v1/spawns/${SPAWN}/resolution`,
    { as: 'adopt', note: 'seen' },
    'hf.cmd.spawns.resolve',
  ],
  '/v1/submissions': ['/v1/submissions', { agent: 'echo', prompt: 'Hello' }, 'hf.cmd.runs.submit'],
  '/v1/runs/{id}/resolution': [
    `/v1/runs/${SPAWN}/resolution`,
    { as: 'abandoned', note: 'seen' },
    'hf.cmd.runs.resolve',
  ],
  '/v1/stops': [
    '/v1/stops',
    { target: { kind: 'run', id: SPAWN }, reason: 'enough' },
    'hf.cmd.stops.request',
  ],
  '/v1/tokens': [
    '/v1/tokens',
    { principal: 'agent:lead', role: 'agent' },
    'hf.cmd.access.issue-token',
  ],
  '/v1/tokens/revoke': [
    '/v1/tokens/revoke',
    { tokenHash: 'a1'.repeat(32) },
    'hf.cmd.access.revoke-token',
  ],
  '/v1/nodes/{id}/drain': ['/v1/nodes/node-1/drain', { reason: 'repair' }, 'hf.cmd.nodes.drain'],
  '/v1/nodes/{id}/return': ['/v1/nodes/node-1/return', { reason: 'well' }, 'hf.cmd.nodes.return'],
};
const STRICT_ROUTES = [STRICT, REPLAY];
/** Both spellings that callers use. */
const CONTRACT_FIELDS = ['spawn_contract', 'spawnContract'];

const upstream = new FakeUpstream();
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await GatewayUnderTest.start(upstream);
});
beforeEach(() => upstream.forget());
afterAll(() => gateway.close());

const problemOf = async (response: Response): Promise<Problem> => {
  const shown = (await response.json()) as Problem;
  expect(shown.status).toBe(response.status);
  return shown;
};

describe('a command of spawns', () => {
  it.each([
    ['strict-invoke', STRICT, strict, 'hf.cmd.spawns.strictInvoke', strict, 201],
    [
      'strict-invoke with all that it takes',
      STRICT,
      { ...strict, directory: '/work', verify_ready: true, worker_cwd: '/else' },
      'hf.cmd.spawns.strictInvoke',
      { ...strict, directory: '/work', verify_ready: true, worker_cwd: '/else' },
      201,
    ],
    [
      'replay',
      REPLAY,
      { spawn_contract: CONTRACT },
      'hf.cmd.spawns.replay',
      { spawn_contract: CONTRACT },
      201,
    ],
    ['create', '/v1/spawns', generic, 'hf.cmd.spawns.create', generic, 202],
    [
      'resolution',
      `/v1/spawns/${SPAWN}/resolution`,
      { as: 'adopt', note: 'seen' },
      'hf.cmd.spawns.resolve',
      { as: 'adopt', note: 'seen', spawnId: SPAWN },
      200,
    ],
    [
      'drain',
      '/v1/nodes/node-1/drain',
      { reason: 'repair' },
      'hf.cmd.nodes.drain',
      { reason: 'repair', nodeId: 'node-1' },
      200,
    ],
    [
      'return',
      '/v1/nodes/node-1/return',
      { reason: 'repaired' },
      'hf.cmd.nodes.return',
      { reason: 'repaired', nodeId: 'node-1' },
      200,
    ],
  ])(
    '%s goes on as it was sent, under its key',
    async (_what, path, body, subject, sent, status) => {
      upstream.on(subject, () => answer({ value: view, replayed: false }));
      const response = await gateway.post(path, body);
      expect(response.status).toBe(status);
      expect(response.headers.get('idempotency-replayed')).toBe(null);
      expect(await response.json()).toEqual(view);
      expect(upstream.asked.map(({ subject: to, body: what }) => [to, what])).toEqual([
        [subject, sent],
      ]);
      expect(upstream.asked[0]?.headers['idempotency-key']).toBe('key-1');
    },
  );

  it.each([
    [STRICT, strict, 'hf.cmd.spawns.strictInvoke'],
    [REPLAY, { spawn_contract: CONTRACT }, 'hf.cmd.spawns.replay'],
  ])('%s that is a replay is 201, and marked (@SP-65)', async (path, body, subject) => {
    upstream.on(subject, () => answer({ value: view, replayed: true }));
    const response = await gateway.post(path, body);
    expect(response.status).toBe(201);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(await response.json()).toEqual(view);
  });

  it('and every other command that the API describes is looked at below (@SP-04, @SP-08)', async () => {
    const { paths } = (await (await gateway.get('/openapi.json')).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    const described = Object.entries(paths).filter(([, methods]) => 'post' in methods);
    expect(described.map(([path]) => path).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it.each(Object.values(COMMANDS))('%s needs a key (@SP-04)', async (path, body, subject) => {
    upstream.on(subject, () => answer({ value: view, replayed: false }));
    const response = await gateway.post(path, body, { 'idempotency-key': '' });
    expect(await problemOf(response)).toMatchObject({
      status: 400,
      code: 'idempotency_key_required',
    });
    expect(upstream.asked).toEqual([]);
    expect((await gateway.post(path, body)).ok).toBe(true); // Nothing else was wrong with it.
    expect(upstream.to(subject)).toHaveLength(1);
  });

  it.each([
    ['an unknown field (@SP-05)', { ...strict, priority: 1 }, 'priority'],
    [
      'a proof of its own (@SP-06)',
      { ...strict, spawn_contract_applied: CONTRACT },
      'spawn_contract_applied',
    ],
    ['another contract', { ...strict, spawn_contract: 'relay.spawn/2' }, 'spawn_contract'],
    ['no node', { ...strict, node_id: undefined }, 'node_id'],
    ['no name of the node', { ...strict, node_name: undefined }, 'node_name'],
    ['a relative directory', { ...strict, directory: 'work' }, 'directory'],
  ])('for a strict spawn with %s is refused, and says where', async (_what, body, path) => {
    const shown = await problemOf(await gateway.post(STRICT, body));
    expect(shown).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(shown.errors?.map((error) => error.path)).toEqual([path]);
    expect(upstream.asked).toEqual([]);
  });

  it.each([
    ['/v1/spawns', generic, 'spawn_contract', '@SP-07'],
    ['/v1/spawns', generic, 'spawnContract', '@SP-07'],
    ['/v1/spawns', strict, 'spawn_contract', '@SP-07'],
    ['/v1/submissions', { agent: 'echo', prompt: 'Hello' }, 'spawn_contract', '@SP-08'],
    ['/v1/submissions', { agent: 'echo', prompt: 'Hello' }, 'spawnContract', '@SP-08'],
  ])(
    'to %s, of %j with %s, is refused: no second door to a promise (%s)',
    async (path, body, field, _rule) => {
      const shown = await problemOf(await gateway.post(path, { ...body, [field]: CONTRACT }));
      expect(shown).toMatchObject({
        status: 400,
        code: 'strict_contract_route_only',
        retryable: false,
      });
      expect(upstream.asked).toEqual([]);
    },
  );

  it.each(
    Object.entries(COMMANDS)
      .filter(([described]) => !STRICT_ROUTES.includes(described))
      .map(([, command]) => command),
  )(
    '%s takes no strict contract, in neither spelling, and no proof of one (@SP-08)',
    async (path, body, subject) => {
      upstream.on(subject, () => answer({ value: view, replayed: false }));
      for (const field of [...CONTRACT_FIELDS, 'spawn_contract_applied']) {
        const shown = await problemOf(await gateway.post(path, { ...body, [field]: CONTRACT }));
        expect({ field, status: shown.status }).toEqual({ field, status: 400 });
        // Either it says where that belongs, or that this field, and nothing else, is wrong.
        if (shown.code !== 'strict_contract_route_only') {
          expect(shown.code).toBe('invalid_request');
          expect(shown.errors?.map((error) => error.path)).toEqual([field]);
        }
      }
      expect(upstream.asked).toEqual([]);
      expect((await gateway.post(path, body)).ok).toBe(true);
      expect(upstream.to(subject)).toHaveLength(1);
    },
  );

  it.each([
    ['node_not_found', 404, false],
    ['invocation_not_found', 404, false],
    ['node_target_mismatch', 409, false],
    ['node_capability_missing', 409, false],
    ['node_offline', 409, true],
    ['node_not_ready', 503, true],
    ['idempotency_conflict', 409, false],
    ['idempotency_unavailable', 503, true],
    ['agent_token_required', 403, false],
    ['internal', 500, true],
  ])(
    'that is refused with %s is answered %i, retryable: %j (@SP-13)',
    async (code, status, retryable) => {
      upstream.on('hf.cmd.spawns.strictInvoke', () => refuse(code, retryable));
      const shown = await problemOf(await gateway.post(STRICT, strict));
      expect(shown).toMatchObject({ status, code, retryable });
    },
  );
});

describe('an action', () => {
  it('that has no route of its own is none, whatever it is called (@SP-10)', async () => {
    for (const path of ['/v1/actions/spawn', '/v1/actions/spawn/invoke', '/v1/actions/replay']) {
      const shown = await problemOf(await gateway.post(path, strict));
      expect(shown).toMatchObject({ status: 404, code: 'route_not_found' });
    }
    expect(upstream.asked).toEqual([]);
  });

  it('has a fixed path, which no route with a parameter could take from it (@SP-10)', () => {
    const routes = gateway.gateway.routes.routes.filter(({ path }) =>
      path.startsWith('/v1/actions'),
    );
    expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      `POST ${REPLAY}`,
      `POST ${STRICT}`,
    ]);
  });
});

describe('a read of spawns', () => {
  const page = { items: [], nextCursor: null };

  it.each([
    ['/v1/spawns', 'hf.qry.spawns.list', {}],
    [
      '/v1/spawns?status=pending,failed&kind=strict&node=n1&unknown=true&limit=5',
      'hf.qry.spawns.list',
      { status: ['pending', 'failed'], kind: 'strict', node: 'n1', unknown: true, limit: 5 },
    ],
    ['/v1/spawns?unknown=false', 'hf.qry.spawns.list', { unknown: false }],
    [`/v1/spawns/${SPAWN}`, 'hf.qry.spawns.get', { id: SPAWN }],
    [`/v1/spawns/${SPAWN}/timeline?after=7`, 'hf.qry.spawns.timeline', { id: SPAWN, after: 7 }],
  ])('at %s asks %s, and answers what that answers', async (path, subject, body) => {
    upstream.on(subject, () => answer(page));
    const response = await gateway.get(path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(page);
    expect(upstream.asked.map((one) => [one.subject, one.body])).toEqual([[subject, body]]);
  });

  it.each([
    '/v1/spawns?status=claimed',
    '/v1/spawns?kind=loose',
    '/v1/spawns?unknown=1',
    '/v1/spawns?unknown=',
    '/v1/spawns?node=a.b',
    '/v1/spawns?colour=red',
    '/v1/spawns/1',
    `/v1/spawns/${SPAWN}/timeline?limit=x`,
  ])('at %s is refused before anybody is asked', async (path) => {
    const shown = await problemOf(await gateway.get(path));
    expect(shown).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(upstream.asked).toEqual([]);
  });
});
