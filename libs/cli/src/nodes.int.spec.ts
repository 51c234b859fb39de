import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StubServer, holdfast, json, problem, type Outcome } from './cli.fixture.js';
import { SPAWN_ID, nodeView } from './spawn.fixture.js';

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.close());

const at = (...args: readonly string[]): Promise<Outcome> =>
  holdfast(args, { env: { HOLDFAST_URL: server.url } });
const has = (...items: unknown[]): StubServer =>
  server.on('GET /v1/nodes', (_seen, response) => json(response, { items, nextCursor: null }));
const lines = async (): Promise<readonly string[]> =>
  (await at('nodes')).out.split('\n').map((line) => line.replace(/ {2,}/g, '  '));

describe('the list of nodes', () => {
  it('says how many places are free, and which harnesses are not ready', async () => {
    has(nodeView());
    const [head, row] = await lines();
    expect(head).toBe('NODE  NAME  STATE  HEARD  RUNS  WAITING  FREE  HARNESSES  AGENTS  NOTE');
    expect(row).toBe(
      'build-7  build machine 7  alive  2 s ago  1/16  0  1 of 2  cli, codex (not ready)  echo',
    );
  });

  it('says who holds each place, since when and why', async () => {
    has(nodeView());
    expect((await lines()).slice(2)).toEqual([
      '',
      'NODE  PLACE  SPAWN  AGENT  HARNESS  SINCE  WHY',
      `build-7  occupied  ${SPAWN_ID}  reviewer  cli  60 s ago  its agent is alive`,
      '',
    ]);
  });

  it('says nothing of places where none is taken', async () => {
    has(nodeView({ slots: [] }));
    expect((await lines()).slice(1)).toEqual([
      'build-7  build machine 7  alive  2 s ago  1/16  0  2 of 2  cli, codex (not ready)  echo',
      '',
    ]);
  });

  it('says why a node is drained, by whom and since when', async () => {
    const drained = { reason: 'new disk', actor: 'user:ada', since: '2026-11-29T11:57:00.000Z' };
    has(nodeView({ drained, slots: [] }));
    expect((await lines())[1]).toContain('echo  drained 3 min ago by user:ada: new disk');
  });

  it('counts no place as free where more are taken than there are', async () => {
    has(nodeView({ capacity: 0 }));
    expect((await lines())[1]).toContain('0 of 0');
  });
});

describe.each([
  ['drain', true, 'build-7 is drained\n'],
  ['return', false, 'build-7 is in service\n'],
] as const)('nodes %s', (change, drained, words) => {
  const path = `POST /v1/nodes/build-7/${change}`;

  it('asks for it with the reason, under a key', async () => {
    server.on(path, (_seen, response) => json(response, { nodeId: 'build-7', drained }));
    const { exitCode, out } = await at(
      'nodes',
      change,
      'build-7',
      '--reason',
      'disk',
      '--key',
      'k',
    );
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: words });
    expect(server.seen[0]?.body).toEqual({ reason: 'disk' });
    expect(server.seen[0]?.headers['idempotency-key']).toBe('k');
  });

  it('prints with --json what the API answers', async () => {
    const answer = { nodeId: 'build-7', drained };
    server.on(path, (_seen, response) => json(response, answer));
    const { out } = await at('nodes', change, 'build-7', '--reason', 'disk', '--json');
    expect(JSON.parse(out)).toEqual(answer);
  });

  it('needs a node and a reason', async () => {
    for (const args of [
      ['nodes', change, 'build-7'],
      ['nodes', change, '--reason', 'disk'],
    ])
      expect((await at(...args)).exitCode).toBe(2);
    expect(server.seen).toEqual([]);
  });

  it('of a node that there is not ends with 1, and says where they are listed', async () => {
    server.on(path, (_seen, response) => problem(response, 404, 'node_not_found'));
    const { exitCode, err } = await at('nodes', change, 'build-7', '--reason', 'disk');
    expect(exitCode).toBe(1);
    expect(err).toContain('`holdfast nodes` lists');
  });
});

describe('an operand that is none of these', () => {
  it('is wrong usage', async () => {
    const { exitCode, err } = await at('nodes', 'build-7');
    expect(exitCode).toBe(2);
    expect(err).not.toBe('');
    expect(server.seen).toEqual([]);
  });
});
