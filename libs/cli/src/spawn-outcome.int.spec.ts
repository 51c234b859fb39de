import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SpawnDetailView } from '#contracts';
import { waitUntil } from '#testing';
import {
  StubServer,
  holdfast,
  json,
  problem,
  type Outcome,
  type Seen,
  type Setting,
} from './cli.fixture.js';
import { SPAWN_ID, spawnView, strictView, unknownSpawn } from './spawn.fixture.js';

const REPLAY = 'POST /v1/actions/spawn/replay';
const CONTRACT = 'relay.spawn.invoke.logical/1';
const STRICT = ['spawn', 'Review', '--node', 'build-7', '--agent-name', 'a1', '--harness', 'cli'];

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.close());

const at = (args: readonly string[], setting: Setting = {}): Promise<Outcome> =>
  holdfast(args, { ...setting, env: { HOLDFAST_URL: server.url } });
const asked = (route: string): Seen => server.to(route)[0]!;
/** A spawn that goes through these, one at each look. */
const goesThrough = (...views: readonly SpawnDetailView[]): StubServer => {
  let look = 0;
  return server.on(`GET /v1/spawns/${SPAWN_ID}`, (_seen, response) => {
    json(response, views[Math.min(look, views.length - 1)]);
    look += 1;
  });
};

describe('the replay of a strict spawn', () => {
  it('asks with the key alone, and never the route that would make one', async () => {
    server.on(REPLAY, (_seen, response) =>
      json(response, strictView({ status: 'completed' }), 201, { 'idempotency-replayed': 'true' }),
    );
    const { exitCode, out, err } = await at(['spawn', '--replay', '--key', 'nightly']);
    expect({ exitCode, out, err }).toEqual({
      exitCode: 0,
      out: `${SPAWN_ID}\n`,
      err: 'completed\n',
    });
    expect(server.seen).toHaveLength(1);
    expect(asked(REPLAY).body).toEqual({ spawn_contract: CONTRACT });
    expect(asked(REPLAY).headers['idempotency-key']).toBe('nightly');
  });

  it('repeats what else is given, and looks nothing up', async () => {
    server.on(REPLAY, (_seen, response) => json(response, strictView(), 201));
    await at([...STRICT, '--replay', '--key', 'k', '--verify-ready']);
    expect(server.seen).toHaveLength(1);
    expect(asked(REPLAY).body).toEqual({
      spawn_contract: CONTRACT,
      node_id: 'build-7',
      agent_name: 'a1',
      harness: 'cli',
      task: 'Review',
      verify_ready: true,
    });
  });

  it.each([
    [{ status: 'failed', failure_code: 'never_received' }, 1],
    [{ status: 'failed', failure_code: 'spawn_outcome_unknown' }, 3],
    [{ status: 'pending' }, 0],
  ] as const)('of %j ends with %i', async (view, exitCode) => {
    server.on(REPLAY, (_seen, response) => json(response, strictView(view), 201));
    expect((await at(['spawn', '--replay', '--key', 'k'])).exitCode).toBe(exitCode);
  });

  it('of a key that nobody used ends with 1, and says how to ask for it', async () => {
    server.on(REPLAY, (_seen, response) => problem(response, 404, 'invocation_not_found'));
    const { exitCode, err } = await at(['spawn', '--replay', '--key', 'k']);
    expect(exitCode).toBe(1);
    expect(err).toContain('without --replay');
  });
});

describe('waiting for a spawn', () => {
  const INVOKE = 'POST /v1/actions/spawn/strict-invoke';
  const wait = [...STRICT, '--node-name', 'build machine 7', '--key', 'k', '--wait'];
  beforeEach(() => void server.on(INVOKE, (_seen, response) => json(response, strictView(), 201)));

  it('tells what it waits for, and ends with 0 when its agent was started', async () => {
    goesThrough(
      spawnView({ status: 'pending', waitsFor: 'a free slot on node seven', settledAt: null }),
      spawnView({ status: 'dispatched', waitsFor: 'node seven to take it', settledAt: null }),
      spawnView(),
    );
    const { exitCode, out, err } = await at(wait);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${SPAWN_ID}\n` });
    expect(err).toBe(
      'pending: waits for a free slot on node seven\n' +
        'dispatched: waits for node seven to take it\n' +
        'started on node build machine 7 after 2 s\n',
    );
  });

  it.each(['never_received', 'agent_not_started', 'never_dispatched_expired'] as const)(
    'ends with 1 when it failed with certainty: %s',
    async (code) => {
      goesThrough(spawnView({ status: 'failed', code }));
      const { exitCode, err } = await at(wait);
      expect(exitCode).toBe(1);
      expect(err).toContain(`code   ${code}\n`);
    },
  );

  it('ends with 3 when nobody knows, and shows the evidence and the ways on', async () => {
    goesThrough(unknownSpawn());
    const { exitCode, err } = await at(wait);
    expect(exitCode).toBe(3);
    expect(err).toContain('node build machine 7 fell silent');
    expect(err).toContain(`holdfast spawns resolve ${SPAWN_ID} --as stop|free `);
  });

  it('offers to adopt only an agent that was seen alive', async () => {
    goesThrough(unknownSpawn({ agent: 'alive' }));
    expect((await at(wait)).err).toContain('--as stop|adopt|free ');
  });

  it('prints with --json the spawn as it ended, and nothing else', async () => {
    goesThrough(spawnView({ status: 'dispatched' }), spawnView());
    const { exitCode, out } = await at([...wait, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual(spawnView());
  });

  it('is over at Ctrl-C with 3; the spawn goes on', async () => {
    const interruption = new AbortController();
    goesThrough(spawnView({ status: 'dispatched' }));
    const waiting = at(wait, { interrupted: interruption.signal });
    const route = `GET /v1/spawns/${SPAWN_ID}`;
    await waitUntil('it waits', () => server.to(route).length > 1);
    interruption.abort();
    const { exitCode, err } = await waiting;
    expect(exitCode).toBe(3);
    expect(err).toContain('the spawn goes on');
  });
});
