import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SystemView } from '#contracts';
import { FakeUpstream, GatewayUnderTest, answer, refuse } from './gateway.fixture.js';

const upstream = new FakeUpstream();
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await GatewayUnderTest.start(upstream);
});
beforeEach(() => upstream.forget());
afterAll(() => gateway.close());

const look = async (): Promise<SystemView> => {
  const response = await gateway.get('/v1/system');
  expect(response.status).toBe(200);
  return (await response.json()) as SystemView;
};

describe('the system', () => {
  it('is what the read side sees, with what the gateway knows by itself', async () => {
    const database = { value: { roundTripMs: 3 }, why: null };
    upstream.on('hf.qry.system.get', () => answer({ database }));
    upstream.on('hf.qry.runs.list', () => answer({ items: [], nextCursor: null }));
    await gateway.get('/v1/runs');
    const system = await look();
    expect(system.database).toEqual(database);
    expect(system.readiness.durability?.survives).toBe('power-loss');
    expect(system.requests).toContainEqual(
      expect.objectContaining({ route: 'GET /v1/runs', count: 1 }),
    );
    expect(upstream.to('hf.qry.system.get')[0]?.headers['authorization']).toBe('Bearer token-1');
  });

  it.each([
    ['is away', () => ({ kind: 'not-delivered' }) as const, 'the service for reading is away'],
    [
      'is frozen',
      () => ({ kind: 'no-answer', cause: new Error('late') }) as const,
      'the service for reading did not answer in time',
    ],
    ['can not read', () => refuse('unavailable', true), 'refused: unavailable'],
  ])('is shown as not known, and why, while the read side %s', async (_, responder, why) => {
    upstream.on('hf.qry.system.get', responder);
    const { projections, holders, sagas, nodes, broker, database, oldestRuns, ...known } =
      await look();
    for (const part of [projections, holders, sagas, nodes, broker, database, oldestRuns])
      expect(part).toEqual({ value: null, why });
    expect(known.readiness.ready).toBe(false);
  });

  it.each([
    ['unauthenticated', 401],
    ['forbidden', 403],
  ])('is not shown to whom the read side calls %s', async (code, status) => {
    upstream.on('hf.qry.system.get', () => refuse(code));
    expect((await gateway.get('/v1/system')).status).toBe(status);
    expect((await gateway.get('/v1/system', { authorization: '' })).status).toBe(401);
  });
});
