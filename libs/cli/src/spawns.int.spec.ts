import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StopView } from '#contracts';
import {
  RUN_ID,
  StubServer,
  holdfast,
  json,
  problem,
  unknownRun,
  type Outcome,
} from './cli.fixture.js';
import { SPAWN_ID, spawnView, unknownSpawn } from './spawn.fixture.js';

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.close());

const at = (...args: readonly string[]): Promise<Outcome> =>
  holdfast(args, { env: { HOLDFAST_URL: server.url } });
const page = (...items: unknown[]) => ({ items, nextCursor: null });
const shows = (view: unknown): StubServer =>
  server.on(`GET /v1/spawns/${SPAWN_ID}`, (_seen, response) => json(response, view));

describe('the list of spawns', () => {
  it('says where each stands and what it waits for, without what could move a cursor', async () => {
    const pending = spawnView({
      status: 'pending',
      kind: 'generic',
      nodeId: null,
      waitsFor: 'a \u001b[2Jnode',
    });
    server.on('GET /v1/spawns', (_seen, response) => json(response, page(unknownSpawn(), pending)));
    const { exitCode, out } = await at('spawns');
    expect(exitCode).toBe(0);
    expect(out).toBe(
      [
        'SPAWN                                 STATUS   KIND     AGENT     HARNESS  NODE     CLAIMED   NOTE',
        `${SPAWN_ID}  failed   strict   reviewer  cli      build-7  10 s ago  spawn_outcome_unknown; waits for its node to come back, or an operator`,
        `${SPAWN_ID}  pending  generic  reviewer  cli      –        10 s ago  waits for a ·[2Jnode`,
        '',
      ].join('\n'),
    );
  });

  it('asks with the filters that it is given, and with nothing else', async () => {
    server.on('GET /v1/spawns', (_seen, response) =>
      json(response, { items: [], nextCursor: 'next-1' }),
    );
    const { out, err } = await at(
      ...['spawns', '--status', 'pending,failed', '--node', 'n 1', '--unknown', '--limit', '5'],
      ...['--url', server.url],
    );
    expect(server.seen[0]?.path).toBe(
      '/v1/spawns?status=pending%2Cfailed&node=n+1&unknown=true&limit=5',
    );
    expect(out).toBe('no spawns\n');
    expect(err).toContain('--cursor next-1');
    await at('spawns', '--json');
    expect(server.seen[1]?.path).toBe('/v1/spawns');
  });

  it('prints with --json what the API answers', async () => {
    server.on('GET /v1/spawns', (_seen, response) => json(response, page({ any: 'thing' })));
    expect(JSON.parse((await at('spawns', '--json')).out)).toEqual(page({ any: 'thing' }));
  });
});

describe('one spawn', () => {
  it('is shown with its agent, its place and its node', async () => {
    shows(spawnView());
    const { exitCode, out } = await at('spawns', 'show', SPAWN_ID);
    expect(exitCode).toBe(0);
    expect(out).toContain('agent       reviewer (cli): alive\n');
    expect(out).toContain('node        build-7 (build machine 7)\n');
    expect(out).toContain('place       occupied, round 1\n');
    expect(out).toContain('works in    /srv/work\n');
    expect(out).not.toContain('settle it');
  });

  it('that is unknown is shown with its evidence and the ways on, until somebody decided', async () => {
    shows(unknownSpawn());
    const { out } = await at('spawns', 'show', SPAWN_ID);
    expect(out).toContain('may be alive\n');
    expect(out).toContain('node build machine 7 fell silent, seen by the saga\n');
    expect(out).toContain(`holdfast spawns resolve ${SPAWN_ID} --as stop|free `);
    const resolution = { as: 'free', note: 'scrap\nped', actor: 'user:ada', at: 't' } as const;
    shows(unknownSpawn({ resolution }));
    const decided = (await at('spawns', 'show', SPAWN_ID)).out;
    expect(decided).toContain('free by user:ada\n');
    expect(decided).toContain('scrap·ped\n');
    expect(decided).not.toContain('settle it');
  });

  it('that is not there ends with 1, and says where whole ids are', async () => {
    server.on('GET /v1/spawns/x', (_seen, response) => problem(response, 404, 'spawn_not_found'));
    const { exitCode, err } = await at('spawns', 'show', 'x');
    expect(exitCode).toBe(1);
    expect(err).toContain('holdfast spawns --json');
  });

  it('has a timeline, all pages of it', async () => {
    server.on(`GET /v1/spawns/${SPAWN_ID}/timeline`, ({ path }, response) => {
      const after = Number(new URL(path, 'http://x').searchParams.get('after') ?? 0);
      const data = { spawnId: SPAWN_ID, round: after + 1 };
      const entry = {
        sequence: after + 1,
        at: 't',
        type: `E${after}`,
        actor: 'a',
        command: 'c',
        data,
      };
      json(response, { items: [entry], nextCursor: after < 1 ? String(after + 1) : null });
    });
    const { out } = await at('spawns', 'timeline', SPAWN_ID);
    expect(out.match(/E\d .*/g)).toEqual(['E0     a   round=1', 'E1     a   round=2']);
  });

  it('prints with --json what the API answers, wherever the option stands', async () => {
    shows(spawnView());
    for (const args of [
      ['spawns', 'show', SPAWN_ID, '--json'],
      ['spawns', '--json', 'show', SPAWN_ID],
    ])
      expect(JSON.parse((await at(...args)).out)).toEqual(spawnView());
  });
});

describe('the decision on a spawn whose agent may be alive', () => {
  const path = `POST /v1/spawns/${SPAWN_ID}/resolution`;
  const resolve = (...more: readonly string[]): Promise<Outcome> =>
    at('spawns', 'resolve', SPAWN_ID, ...more);

  it.each(['stop', 'adopt', 'free'] as const)('is recorded with its note: %s', async (as) => {
    server.on(path, (_seen, response) => json(response, { spawnId: SPAWN_ID, resolution: as }));
    const { exitCode, out } = await resolve('--as', as, '--note', 'seen', '--key', 'k');
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${as}\n` });
    expect(server.seen[0]).toMatchObject({ headers: { 'idempotency-key': 'k' } });
    expect(server.seen[0]?.body).toEqual({ as, note: 'seen' });
  });

  it.each([
    [['--as', 'free'], '--note'],
    [['--note', 'x'], '--as'],
    [['--as', 'completed', '--note', 'x'], 'completed'],
  ])('is wrong usage with only %j', async (args, words) => {
    const { exitCode, err } = await resolve(...args);
    expect(exitCode).toBe(2);
    expect(err).toContain(words);
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['spawn_not_unknown', 'spawns --unknown'],
    ['spawn_agent_not_seen', 'stop or free'],
  ])('that is refused ends with 1, and says what helps: %s', async (code, remedy) => {
    server.on(path, (_seen, response) => problem(response, 409, code));
    const { exitCode, err } = await resolve('--as', 'adopt', '--note', 'x');
    expect(exitCode).toBe(1);
    expect(err).toContain(remedy);
  });
});

describe('the stop of a spawned agent', () => {
  const accepts = (): StubServer =>
    server.on('POST /v1/stops', (_seen, response) => json(response, { stopId: 's1' }, 202));
  const view = (outcome: StopView['outcome']): StopView => ({
    stopId: 's1',
    target: { kind: 'agent', id: SPAWN_ID },
    reason: 'enough',
    requestedBy: 'user:ada',
    requestedAt: '2026-11-29T11:59:50.000Z',
    outcome,
    proof: outcome === 'proven' ? 'process-group-gone' : null,
    remains: [],
    runStatus: null,
  });

  it('names the spawn', async () => {
    accepts();
    const { exitCode, out } = await at('stop', '--agent', SPAWN_ID, '--reason', 'enough');
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: 's1\n' });
    expect(server.seen[0]?.body).toEqual({
      target: { kind: 'agent', id: SPAWN_ID },
      reason: 'enough',
    });
  });

  it('that is waited for tells what was proven', async () => {
    accepts();
    let looks = 0;
    server.on('GET /v1/stops/s1', (_seen, response) => {
      looks += 1;
      json(response, view(looks === 1 ? 'pending' : 'proven'));
    });
    const { exitCode, out, err } = await at('stop', '--agent', SPAWN_ID, '--wait', '--key', 'k');
    expect(exitCode).toBe(0);
    expect(err).toBe('pending\nproven\n');
    expect(out).toContain(`agent of spawn  ${SPAWN_ID}\n`);
    expect(out).toContain('process-group-gone\n');
  });

  it('of one that has no agent ends with 1, and says how an unknown one is ended', async () => {
    server.on('POST /v1/stops', (_seen, response) => problem(response, 409, 'spawn_has_no_agent'));
    const { exitCode, err } = await at('stop', '--agent', SPAWN_ID);
    expect(exitCode).toBe(1);
    expect(err).toContain('--as stop');
  });

  it.each([
    [['stop'], 'nothing to stop'],
    [['stop', 'run-1', '--agent', 'spawn-1'], 'stop run run-1, or --agent spawn-1'],
  ])('is wrong usage with %j', async (args, words) => {
    const { exitCode, err } = await at(...args);
    expect(exitCode).toBe(2);
    expect(err).toContain(words);
    expect(server.seen).toEqual([]);
  });
});

describe('what nobody knows', () => {
  beforeEach(() => {
    server.on('GET /v1/unknowns', (_seen, response) =>
      json(response, page(unknownSpawn(), unknownRun())),
    );
  });

  it('is one list of spawns, with their ways on, and of runs', async () => {
    const { exitCode, out, err } = await at('unknowns');
    expect(exitCode).toBe(0);
    expect(server.seen.map(({ path }) => path)).toEqual(['/v1/unknowns']);
    expect(out).toContain(`spawn      ${SPAWN_ID}\n`);
    expect(out).toContain('--as stop|free ');
    expect(out).toContain(`run           ${RUN_ID}\n`);
    expect(out.indexOf(SPAWN_ID)).toBeLessThan(out.indexOf(RUN_ID));
    expect(err).toBe('');
  });

  it('says when there is more of it, and prints with --json the one list', async () => {
    const answered = { items: [unknownSpawn()], nextCursor: 'r' };
    server.on('GET /v1/unknowns', (_seen, response) => json(response, answered));
    expect((await at('unknowns')).err).toContain('there are more than are shown');
    expect(JSON.parse((await at('unknowns', '--json')).out)).toEqual(answered);
  });

  it('is nothing when there is neither a run nor a spawn', async () => {
    server.on('GET /v1/unknowns', (_seen, response) => json(response, page()));
    expect((await at('unknowns')).out).toBe('nothing is unknown\n');
  });
});
