import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Problem } from '#contracts';
import { FakeUpstream, GatewayUnderTest } from './gateway.fixture.js';

const strict = {
  spawn_contract: 'relay.spawn.invoke.logical/1',
  node_id: 'node-1',
  node_name: 'builder',
  agent_name: 'reviewer',
  harness: 'cli',
  task: 'Review it.',
};

const upstream = new FakeUpstream();
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await GatewayUnderTest.start(upstream);
});
beforeEach(() => upstream.forget());
afterAll(() => gateway.close());

describe('a strict call to parts of other versions', () => {
  // What an older gateway says to the route of this version, this one says to a route of the next.
  it.each([
    '/v1/actions/spawn/strict-invoke-2',
    '/v1/actions/spawn/strict-invoke/2',
    '/v1/actions/spawn',
    '/v1/actions/other/strict-invoke',
  ])(
    'fails visibly at %s, which this gateway does not have, and nobody is asked (@SP-12, @SP-10)',
    async (path) => {
      const response = await gateway.post(path, strict);
      expect(response.status).toBe(404);
      expect((await response.json()) as Problem).toMatchObject({ code: 'route_not_found' });
      expect(upstream.asked).toEqual([]);
    },
  );

  it('fails visibly where the service behind is too old to hear it (@SP-12, @SP-13)', async () => {
    const response = await gateway.post('/v1/actions/spawn/strict-invoke', strict);
    expect(response.status).toBe(503);
    expect((await response.json()) as Problem).toMatchObject({
      code: 'service_unavailable',
      retryable: true,
    });
    expect(new Set(upstream.asked.map(({ subject }) => subject))).toEqual(
      new Set(['hf.cmd.spawns.strictInvoke']),
    );
  });
});
