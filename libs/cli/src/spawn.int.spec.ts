import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StrictSpawnView } from '#contracts';
import {
  StubServer,
  holdfast,
  json,
  problem,
  type Outcome,
  type Seen,
  type Setting,
} from './cli.fixture.js';
import { SPAWN_ID, nodeView, strictView } from './spawn.fixture.js';

const INVOKE = 'POST /v1/actions/spawn/strict-invoke';
const REPLAY = 'POST /v1/actions/spawn/replay';
const CREATE = 'POST /v1/spawns';
const CONTRACT = 'relay.spawn.invoke.logical/1';
/** What a strict spawn on build-7 is asked for with. */
const STRICT = ['spawn', 'Review', '--node', 'build-7', '--agent-name', 'a1', '--harness', 'cli'];
const GENERIC = ['spawn', 'Review', '--agent-name', 'a1', '--harness', 'cli'];

let server: StubServer;
let folder: string;
beforeEach(async () => {
  server = await StubServer.start();
  server.on('GET /v1/nodes/build-7', (_seen, response) => json(response, nodeView()));
  folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (args: readonly string[], setting: Setting = {}): Promise<Outcome> =>
  holdfast(args, { cwd: folder, ...setting, env: { HOLDFAST_URL: server.url, ...setting.env } });
const answersStrictly = (view: Partial<StrictSpawnView> = {}, headers = {}): StubServer =>
  server.on(INVOKE, (_seen, response) => json(response, strictView(view), 201, headers));
const asked = (route: string): Seen => server.to(route)[0]!;

describe('a spawn on a node that is named', () => {
  it('is strict: asks for the contract, with the name that is looked up, under a key that is shown', async () => {
    answersStrictly();
    const { exitCode, out, err } = await at(STRICT);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${SPAWN_ID}\n` });
    expect(asked(INVOKE).body).toEqual({
      spawn_contract: CONTRACT,
      node_id: 'build-7',
      node_name: 'build machine 7',
      agent_name: 'a1',
      harness: 'cli',
      task: 'Review',
    });
    const key = String(asked(INVOKE).headers['idempotency-key']);
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    expect(err).toBe(`key  ${key}\ndispatched\n`);
  });

  it('takes the name that is given, and looks up none', async () => {
    answersStrictly();
    await at([...STRICT, '--node-name', 'seven']);
    expect(asked(INVOKE).body).toMatchObject({ node_name: 'seven' });
    expect(server.seen).toHaveLength(1);
  });

  it('sends all that is asked for, and the task from a file', async () => {
    answersStrictly();
    writeFileSync(join(folder, 'task.md'), 'from a file\n');
    const [verb, , ...named] = STRICT;
    await at([
      ...[verb!, ...named, '--task-file', 'task.md', '--directory', '/srv/work'],
      ...['--verify-ready', '--key', 'nightly'],
    ]);
    expect(asked(INVOKE)).toMatchObject({
      body: { task: 'from a file\n', directory: '/srv/work', verify_ready: true },
      headers: { 'idempotency-key': 'nightly' },
    });
  });

  it('reads the task from standard input', async () => {
    answersStrictly();
    await at(STRICT.with(1, '-'), { stdin: ['from ', 'a pipe'] });
    expect(asked(INVOKE).body).toMatchObject({ task: 'from a pipe' });
  });

  it('that is still pending says what it waits for', async () => {
    answersStrictly({ status: 'pending', waits_for: 'a free slot on node build machine 7' });
    const { exitCode, err } = await at(STRICT);
    expect(exitCode).toBe(0);
    expect(err).toContain('pending: waits for a free slot on node build machine 7\n');
  });

  it('says when the key was used before, and ends with what became of it', async () => {
    answersStrictly(
      { status: 'failed', failure_code: 'never_received' },
      { 'idempotency-replayed': 'true' },
    );
    const { exitCode, err } = await at([...STRICT, '--key', 'k']);
    expect(exitCode).toBe(1);
    expect(err).toContain('this key was used before');
    expect(err).toContain('failed: never_received\n');
  });

  it('prints with --json what the API answers', async () => {
    answersStrictly();
    expect(JSON.parse((await at([...STRICT, '--json'])).out)).toEqual(strictView());
  });

  it('is asked for again with the same key while its answer is lost', async () => {
    let times = 0;
    server.on(INVOKE, (_seen, response) => {
      times += 1;
      if (times < 3) response.destroy();
      else json(response, strictView(), 201);
    });
    expect((await at(STRICT)).exitCode).toBe(0);
    const keys = server.to(INVOKE).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('whose first call has not ended yet is asked for again, and then not known', async () => {
    server.on(INVOKE, (_seen, response) =>
      problem(response, 503, 'idempotency_unavailable', { retryable: true }),
    );
    const { exitCode, err } = await at([...STRICT, '--key', 'my-key']);
    expect(exitCode).toBe(3);
    expect(err).toContain('--key my-key');
    expect(server.to(INVOKE).length).toBeGreaterThan(1);
  });

  it.each([
    [404, 'node_not_found', '`holdfast nodes` lists'],
    [409, 'node_target_mismatch', 'without --node-name'],
    [409, 'node_capability_missing', 'which harnesses'],
    [409, 'node_offline', 'when this one is back'],
    [503, 'node_not_ready', 'leave out --verify-ready'],
    [403, 'agent_token_required', 'token issue'],
    [409, 'idempotency_conflict', 'take another key'],
  ])(
    'that is refused (%i %s) ends at once with 1, and says what helps',
    async (status, code, remedy) => {
      const retryable = code === 'node_offline' || code === 'node_not_ready';
      server.on(INVOKE, (_seen, response) => problem(response, status, code, { retryable }));
      const { exitCode, err } = await at(STRICT);
      expect(exitCode).toBe(1);
      expect(err).toContain(`says ${code} (${code})\n`);
      expect(err).toContain(remedy);
      expect(server.to(INVOKE)).toHaveLength(1);
    },
  );

  it('on a node that there is not asks for no spawn', async () => {
    server.on('GET /v1/nodes/build-7', (_seen, response) =>
      problem(response, 404, 'node_not_found', { detail: 'there is no node build-7' }),
    );
    const { exitCode, err } = await at(STRICT);
    expect(exitCode).toBe(1);
    expect(err).toContain('there is no node build-7 (node_not_found)\n');
    expect(server.to(INVOKE)).toEqual([]);
  });
});

describe('whose token a spawn takes', () => {
  const bare = { env: { HOLDFAST_TOKEN: '' } };
  const given = (): string => String(server.seen.at(-1)?.headers.authorization);
  beforeEach(() => {
    mkdirSync(join(folder, '.holdfast'));
    writeFileSync(join(folder, '.holdfast', 'operator.token'), 'of-the-operator\n');
    writeFileSync(join(folder, '.holdfast', 'agent.token'), 'of-an-agent\n');
    answersStrictly()
      .on(CREATE, (_seen, response) =>
        json(response, { spawnId: SPAWN_ID, status: 'pending' }, 202),
      )
      .on(REPLAY, (_seen, response) => json(response, strictView(), 201));
  });

  it('is an agent’s where a node is named, also for the look at the node', async () => {
    await at(STRICT, bare);
    const tokens = server.seen.map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['Bearer of-an-agent', 'Bearer of-an-agent']);
  });

  it('is an agent’s for a replay, and the operator’s otherwise', async () => {
    await at(['spawn', '--replay', '--key', 'k'], bare);
    expect(given()).toBe('Bearer of-an-agent');
    await at(GENERIC, bare);
    expect(given()).toBe('Bearer of-the-operator');
  });

  it('is the one in HOLDFAST_TOKEN where there is one', async () => {
    await at(STRICT, { env: { HOLDFAST_TOKEN: 'mine' } });
    expect(given()).toBe('Bearer mine');
  });
});

describe('a spawn on no node in particular', () => {
  beforeEach(() => {
    server.on(CREATE, (_seen, response) =>
      json(response, { spawnId: SPAWN_ID, status: 'pending' }, 202),
    );
  });

  it('goes to wherever it fits, and never to the strict route', async () => {
    const { exitCode, out } = await at([
      ...[...GENERIC, '--capability', 'gpu', '--capability', 'linux'],
      ...['--directory', '/srv', '--key', 'k'],
    ]);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${SPAWN_ID}\n` });
    expect(server.seen).toHaveLength(1);
    expect(asked(CREATE)).toMatchObject({ headers: { 'idempotency-key': 'k' } });
    expect(asked(CREATE).body).toEqual({
      agentName: 'a1',
      harness: 'cli',
      task: 'Review',
      directory: '/srv',
      capabilities: ['gpu', 'linux'],
    });
  });

  it('says nothing of capabilities where none are asked for', async () => {
    await at(GENERIC);
    expect(asked(CREATE).body).toEqual({ agentName: 'a1', harness: 'cli', task: 'Review' });
  });
});

describe('a spawn that is asked for wrongly', () => {
  it.each<[string, string[], Setting, string]>([
    ['no task', STRICT.toSpliced(1, 1), {}, 'there is no task'],
    ['two tasks', [...STRICT, '--task-file', 'y'], {}, 'not both'],
    ['no agent name', ['spawn', 'x', '--harness', 'cli'], {}, '--agent-name is missing'],
    ['no harness', ['spawn', 'x', '--agent-name', 'a'], {}, '--harness is missing'],
    ['a node and capabilities', [...STRICT, '--capability', 'gpu'], {}, '--capability gpu'],
    ['a name without its node', [...GENERIC, '--node-name', 'seven'], {}, '--node-name seven'],
    ['a generic one that is to be ready', [...GENERIC, '--verify-ready'], {}, '--verify-ready'],
    ['a replay without a key', ['spawn', '--replay'], {}, '--key is missing'],
    [
      'a replay with capabilities',
      ['spawn', '--replay', '--key', 'k', '--capability', 'gpu'],
      {},
      'have no --capability',
    ],
    ['a folder that is relative', [...GENERIC, '--directory', 'src'], {}, '--directory src'],
    [
      'a file that is not there',
      [...GENERIC.toSpliced(1, 1), '--task-file', 'no'],
      {},
      "can't be read",
    ],
    [
      'bytes that are no text',
      GENERIC.with(1, '-'),
      { stdin: [Uint8Array.of(0xff)] },
      'is not UTF-8 text',
    ],
    [
      'more than a task can be',
      GENERIC.with(1, '-'),
      { stdin: ['x'.repeat(300_000)] },
      'larger than a task can be (128 KiB)',
    ],
    ['an option that is none', [...GENERIC, '--priority', '1'], {}, '--priority'],
  ])(
    'with %s is wrong usage, says so, and asks for nothing',
    async (_what, args, setting, words) => {
      const { exitCode, err } = await at(args, setting);
      expect(exitCode).toBe(2);
      expect(err).toContain(words);
      expect(server.seen).toEqual([]);
    },
  );
});
