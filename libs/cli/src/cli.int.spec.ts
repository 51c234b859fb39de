import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunDetailView, StopView } from '#contracts';
import { waitUntil } from '#testing';
import {
  RUN_ID,
  StubServer,
  holdfast,
  json,
  problem,
  runView,
  unknownRun,
  type Outcome,
  type Setting,
} from './cli.fixture.js';
import { nodeView, unknownSpawn } from './spawn.fixture.js';

let server: StubServer;
let folder: string;
beforeEach(async () => {
  server = await StubServer.start();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a verb against the stub. */
const at = (args: readonly string[], setting: Setting = {}): Promise<Outcome> =>
  holdfast(args, { ...setting, env: { HOLDFAST_URL: server.url, ...setting.env } });

const accepted = { runId: RUN_ID, sessionId: RUN_ID, status: 'queued' };
const accepts = (): StubServer =>
  server.on('POST /v1/submissions', (_seen, response) => json(response, accepted, 202));
/** A run that goes through these, one at each look. */
const goesThrough = (...views: readonly RunDetailView[]): StubServer => {
  let look = 0;
  return server.on(`GET /v1/runs/${RUN_ID}`, (_seen, response) => {
    json(response, views[Math.min(look, views.length - 1)]);
    look += 1;
  });
};
const prints = (...words: readonly string[]): StubServer =>
  server.on(`GET /v1/runs/${RUN_ID}/output`, (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [at, word] of words.entries())
      response.write(`id: ${at + 1}\nevent: chunk\ndata: ${chunk(at + 1, word)}\n\n`);
    response.end('event: end\ndata: {"missingBytes":0,"truncated":false}\n\n');
  });
const chunk = (sequence: number, word: string): string =>
  JSON.stringify({
    sequence,
    generation: 1,
    offset: 0,
    data: Buffer.from(word).toString('base64'),
  });

describe('submit', () => {
  it('sends the prompt under a key that it makes and shows, and prints the run', async () => {
    accepts();
    const { exitCode, out, err } = await at(['submit', 'echo', 'Hello there']);
    expect(exitCode).toBe(0);
    expect(out).toBe(`${RUN_ID}\n`);
    const [seen] = server.seen;
    expect(seen?.body).toEqual({ agent: 'echo', prompt: 'Hello there' });
    expect(seen?.headers.authorization).toBe('Bearer token-1');
    expect(err).toBe(`key  ${String(seen?.headers['idempotency-key'])}\n`);
    expect(seen?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('uses the key and the session that it is given', async () => {
    accepts();
    await at(['submit', 'echo', 'x', '--key', 'nightly', '--session', RUN_ID]);
    expect(server.seen[0]).toMatchObject({
      body: { agent: 'echo', prompt: 'x', session: RUN_ID },
      headers: { 'idempotency-key': 'nightly' },
    });
  });

  it('says when the key was used before', async () => {
    server.on('POST /v1/submissions', (_seen, response) =>
      json(response, accepted, 202, { 'idempotency-replayed': 'true' }),
    );
    const { exitCode, err } = await at(['submit', 'echo', 'x', '--key', 'k']);
    expect(exitCode).toBe(0);
    expect(err).toContain('used before');
  });

  it('prints with --json what the API answers', async () => {
    accepts();
    const { out } = await at(['submit', 'echo', 'x', '--json']);
    expect(JSON.parse(out)).toEqual(accepted);
  });

  it('reads the prompt from standard input, whatever the pieces', async () => {
    accepts();
    const bytes = Buffer.from('Grüße');
    await at(['submit', 'echo', '-'], { stdin: [bytes.subarray(0, 3), bytes.subarray(3)] });
    expect(server.seen[0]?.body).toMatchObject({ prompt: 'Grüße' });
  });

  it('reads the prompt from a file', async () => {
    accepts();
    writeFileSync(join(folder, 'task.md'), 'from a file\n');
    await at(['submit', 'echo', '--prompt-file', 'task.md'], { cwd: folder });
    expect(server.seen[0]?.body).toMatchObject({ prompt: 'from a file\n' });
  });

  it.each<[string, string[], Setting]>([
    ['no prompt', ['submit', 'echo'], {}],
    ['two prompts', ['submit', 'echo', 'x', '--prompt-file', 'y'], {}],
    ['no agent', ['submit'], {}],
    ['a file that is not there', ['submit', 'echo', '--prompt-file', 'nowhere'], {}],
    ['bytes that are no text', ['submit', 'echo', '-'], { stdin: [Uint8Array.of(0xff)] }],
    ['more than a prompt can be', ['submit', 'echo', '-'], { stdin: ['x'.repeat(600_000)] }],
    ['an option that is none', ['submit', 'echo', 'x', '--priority', '1'], {}],
    ['a verb that is none', ['respawn'], {}],
    ['a URL that is none', ['runs', '--url', 'ftp://x'], {}],
  ])('with %s is wrong usage, and asks the server nothing', async (_what, args, setting) => {
    const { exitCode, err } = await at(args, { cwd: folder, ...setting });
    expect(exitCode).toBe(2);
    expect(err).not.toBe('');
    expect(server.seen).toEqual([]);
  });

  it('that is malformed is wrong usage, and names the fields', async () => {
    server.on('POST /v1/submissions', (_seen, response) =>
      problem(response, 400, 'invalid_request', { errors: [{ path: 'agent', problem: 'no' }] }),
    );
    const { exitCode, err } = await at(['submit', 'echo', 'x']);
    expect(exitCode).toBe(2);
    expect(err).toContain('says invalid_request (invalid_request)\n  agent: no\n');
    const asJson = await at(['submit', 'echo', 'x', '--json']);
    expect(JSON.parse(asJson.out)).toMatchObject({ code: 'invalid_request', status: 400 });
  });
});

describe('an answer that is not JSON', () => {
  it('is told to come from no Holdfast', async () => {
    server.on('GET /v1/runs', (_seen, response) => void response.end('<html>hello</html>'));
    const { exitCode, err } = await at(['runs']);
    expect(exitCode).toBe(2);
    expect(err).toContain('is not a Holdfast server');
    expect(err).not.toContain('SyntaxError');
  });
});

describe('an answer that is lost', () => {
  it('is asked for again with the same key', async () => {
    let asked = 0;
    server.on('POST /v1/submissions', ({ headers: _ }, response) => {
      asked += 1;
      if (asked < 3) response.destroy();
      else json(response, accepted, 202, { 'idempotency-replayed': 'true' });
    });
    const { exitCode, out } = await at(['submit', 'echo', 'x']);
    expect(exitCode).toBe(0);
    expect(out).toBe(`${RUN_ID}\n`);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('and never comes leaves the outcome unknown, and the key to ask with', async () => {
    server.on('POST /v1/submissions', (_seen, response) => void response.destroy());
    const { exitCode, err } = await at(['submit', 'echo', 'x', '--key', 'my-key']);
    expect(exitCode).toBe(3);
    expect(err).toContain('--key my-key');
  });

  it('behind the gateway leaves the outcome unknown too', async () => {
    server.on('POST /v1/submissions', (_seen, response) =>
      problem(response, 503, 'no_answer', { retryable: true }),
    );
    const { exitCode } = await at(['submit', 'echo', 'x']);
    expect(exitCode).toBe(3);
    expect(server.seen.length).toBeGreaterThan(1);
  });

  it('is no doubt where nothing can have happened', async () => {
    server.on('POST /v1/submissions', (_seen, response) =>
      problem(response, 503, 'service_unavailable', { retryable: true }),
    );
    expect((await at(['submit', 'echo', 'x'])).exitCode).toBe(1);
  });

  it('of a server that is not there is a matter of set-up', async () => {
    await server.close();
    const { exitCode, err } = await at(['submit', 'echo', 'x']);
    expect(exitCode).toBe(2);
    expect(err).toContain('npm start');
    server = await StubServer.start();
  });

  it('of a read is asked for again', async () => {
    let asked = 0;
    server.on('GET /v1/me', (_seen, response) => {
      asked += 1;
      if (asked === 1) response.destroy();
      else json(response, {});
    });
    server.on('GET /v1/nodes', (_seen, response) => {
      asked += 1;
      if (asked === 1) response.destroy();
      else json(response, { items: [], nextCursor: null });
    });
    expect(await at(['nodes'])).toMatchObject({ exitCode: 0, out: 'no node has joined\n' });
  });
});

describe('waiting for an outcome', () => {
  it('prints the output, tells the progress apart from it, and ends with 0 when it is done', async () => {
    accepts();
    prints('one ', 'two');
    goesThrough(
      runView({ status: 'queued', waitsFor: 'the node local', endedAt: null }),
      runView({ status: 'running', endedAt: null }),
      runView(),
    );
    const { exitCode, out, err } = await at(['submit', 'echo', 'x', '--wait', '--key', 'k']);
    expect(exitCode).toBe(0);
    expect(out).toBe('one two');
    expect(err).toBe(
      `run  ${RUN_ID}\nqueued: the node local\nrunning\ncompleted\ndone after 3 s\n`,
    );
  });

  it.each([
    ['failed', 1],
    ['stopped', 1],
    ['abandoned', 1],
  ] as const)('ends with the exit code of a run that is %s', async (status, exitCode) => {
    accepts();
    prints();
    goesThrough(runView({ status, code: 'exit_1', exitCode: 1 }));
    const outcome = await at(['submit', 'echo', 'x', '--wait']);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.err).toContain('exit_1');
  });

  it('ends with 3 when the outcome is unknown, and shows the evidence and what to do', async () => {
    accepts();
    server.on(`GET /v1/runs/${RUN_ID}/output`, (_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': an open stream\n\n');
    });
    goesThrough(runView({ status: 'running', endedAt: null }), unknownRun());
    const { exitCode, err } = await at(['submit', 'echo', 'x', '--wait']);
    expect(exitCode).toBe(3);
    expect(err).toContain('the node did not answer three times');
    expect(err).toContain(`holdfast resolve ${RUN_ID}`);
  });

  it('prints with --json the run as it ended, and nothing else', async () => {
    accepts();
    goesThrough(runView({ status: 'running' }), runView());
    const { exitCode, out } = await at(['submit', 'echo', 'x', '--wait', '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual(runView());
  });

  it('connects again when the stream breaks, and prints each piece once', async () => {
    goesThrough(runView());
    server.on(`GET /v1/runs/${RUN_ID}/output`, ({ headers }, response) => {
      const seen = Number(headers['last-event-id'] ?? 0);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (seen === 3) response.end('event: end\ndata: {}\n\n');
      else {
        response.write(
          `id: ${seen + 1}\nevent: chunk\ndata: ${chunk(seen + 1, String(seen + 1))}\n\n`,
        );
        response.write('event: closing\ndata: {}\n\n', () => response.destroy());
      }
    });
    const { out, exitCode } = await at(['watch', RUN_ID]);
    expect({ out, exitCode }).toEqual({ out: '123', exitCode: 0 });
  });

  it('survives a server that is away for a while', async () => {
    let looks = 0;
    prints('x');
    server.on(`GET /v1/runs/${RUN_ID}`, (_seen, response) => {
      looks += 1;
      if (looks === 2) response.destroy();
      else json(response, runView(looks < 4 ? { status: 'running' } : {}));
    });
    expect(await at(['watch', RUN_ID])).toMatchObject({ exitCode: 0, out: 'x' });
  });

  it('ends with 3 when the server goes away and stays away: the run goes on', async () => {
    prints();
    goesThrough(runView({ status: 'running' }));
    const waiting = at(['watch', RUN_ID]);
    await waitUntil('it waits', () => server.to(`GET /v1/runs/${RUN_ID}`).length > 1);
    await server.close();
    const { exitCode, err } = await waiting;
    server = await StubServer.start();
    expect(exitCode).toBe(3);
    expect(err).toContain('the run goes on');
  });

  it('is over at Ctrl-C; the run goes on', async () => {
    const interruption = new AbortController();
    prints();
    goesThrough(runView({ status: 'running' }));
    const waiting = at(['watch', RUN_ID], { interrupted: interruption.signal });
    await waitUntil('it waits', () => server.to(`GET /v1/runs/${RUN_ID}`).length > 1);
    interruption.abort();
    const { exitCode, err } = await waiting;
    expect(exitCode).toBe(3);
    expect(err).toContain('the run goes on');
  });
});

describe('stop', () => {
  const view = (outcome: StopView['outcome']): StopView => ({
    stopId: RUN_ID,
    target: { kind: 'run', id: RUN_ID },
    reason: 'enough',
    requestedBy: 'user:ada',
    requestedAt: '2026-11-29T11:59:50.000Z',
    outcome,
    proof: null,
    remains: [],
    runStatus: 'stopped',
  });

  it('asks for the end of a run, with the reason', async () => {
    server.on('POST /v1/stops', (_seen, response) => json(response, { stopId: RUN_ID }, 202));
    const { exitCode, out } = await at(['stop', RUN_ID, '--reason', 'enough']);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${RUN_ID}\n` });
    expect(server.seen[0]?.body).toEqual({ target: { kind: 'run', id: RUN_ID }, reason: 'enough' });
  });

  it.each([
    ['proven', 0],
    ['too-late', 1],
    ['unknown', 3],
  ] as const)('that is waited for and %s ends with %i', async (outcome, exitCode) => {
    server.on('POST /v1/stops', (_seen, response) => json(response, { stopId: RUN_ID }, 202));
    let looks = 0;
    server.on(`GET /v1/stops/${RUN_ID}`, (_seen, response) => {
      looks += 1;
      json(response, view(looks === 1 ? 'pending' : outcome));
    });
    const ended = await at(['stop', RUN_ID, '--wait', '--json']);
    expect(ended.exitCode).toBe(exitCode);
    expect(JSON.parse(ended.out)).toEqual(view(outcome));
  });
});

describe('resolve', () => {
  const path = `POST /v1/runs/${RUN_ID}/resolution`;
  it('records the decision of a person', async () => {
    server.on(path, (_seen, response) => json(response, { runId: RUN_ID, status: 'failed' }));
    const { exitCode, out } = await at(['resolve', RUN_ID, '--as', 'failed', '--note', 'seen']);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: 'failed\n' });
    expect(server.seen[0]?.body).toEqual({ as: 'failed', note: 'seen' });
  });

  it('needs a decision and a note', async () => {
    expect((await at(['resolve', RUN_ID, '--as', 'failed'])).exitCode).toBe(2);
    expect((await at(['resolve', RUN_ID, '--note', 'x'])).exitCode).toBe(2);
  });

  it('that is refused ends with 1', async () => {
    server.on(path, (_seen, response) => problem(response, 409, 'run_not_unknown'));
    expect((await at(['resolve', RUN_ID, '--as', 'failed', '--note', 'x'])).exitCode).toBe(1);
  });
});

describe('looking', () => {
  const page = (...items: unknown[]) => ({ items, nextCursor: null });
  const evil = runView({ waitsFor: 'a\u001b[2Jb', status: 'queued', code: null });

  it('shows runs in columns, without what could move a cursor', async () => {
    server.on('GET /v1/runs', (_seen, response) => json(response, page(runView(), evil)));
    const { exitCode, out } = await at(['runs']);
    expect(exitCode).toBe(0);
    expect(out).toBe(
      [
        'RUN                                   STATUS     AGENT  NODE   SUBMITTED  NOTE',
        `${RUN_ID}  completed  echo   local  10 s ago`,
        `${RUN_ID}  queued     echo   local  10 s ago   a·[2Jb`,
        '',
      ].join('\n'),
    );
  });

  it('asks with the filters that it is given', async () => {
    server.on('GET /v1/runs', (_seen, response) =>
      json(response, { items: [], nextCursor: 'next-1' }),
    );
    const { out, err } = await at(['runs', '--status', 'queued,failed', '--limit', '5']);
    expect(server.seen[0]?.path).toBe('/v1/runs?status=queued%2Cfailed&limit=5');
    expect(out).toBe('no runs\n');
    expect(err).toContain('--cursor next-1');
  });

  it('is coloured on a terminal only, and not when colours are unwelcome', async () => {
    server.on('GET /v1/runs', (_seen, response) => json(response, page(runView())));
    const green = '\u001b[32mcompleted\u001b[0m';
    expect((await at(['runs'], { isTerminal: true })).out).toContain(green);
    expect((await at(['runs'], { isTerminal: true, env: { NO_COLOR: '1' } })).out).not.toContain(
      '\u001b',
    );
    expect((await at(['runs'])).out).not.toContain('\u001b');
  });

  it('shows one run, with what is known of an unknown outcome', async () => {
    goesThrough(unknownRun());
    const { out } = await at(['run', RUN_ID]);
    expect(out).toContain('evidence      the node did not answer three times\n');
    expect(out).toContain('session free  no\n');
    expect(out).toContain('what next     wait for the node, or settle it\n');
    expect(out).toContain('(2026-11-29T11:59:50.000Z)');
  });

  it('shows who settled a run, and why', async () => {
    goesThrough(runView({ settledBy: 'operator' }));
    server.on(`GET /v1/runs/${RUN_ID}/timeline`, (_seen, response) => {
      const data = { as: 'completed', note: 'it is\nthere', actor: 'user:ada' };
      const entry = { sequence: 9, at: 't', type: 'RunResolved', actor: 'user:ada', command: 'c' };
      json(response, page({ ...entry, data }));
    });
    const { out } = await at(['run', RUN_ID]);
    expect(out).toContain('settled by  operator user:ada\nnote        it is·there\n');
  });

  it('shows a run that a person settled though its timeline can not be read', async () => {
    goesThrough(runView({ settledBy: 'operator' }));
    const { exitCode, out, err } = await at(['run', RUN_ID]);
    expect(exitCode).toBe(0);
    expect(out).toContain('settled by  operator\n');
    expect(err).toContain('who decided, and why, can not be read now');
  });

  it('prints the output of a run, all pages of it', async () => {
    goesThrough(runView());
    server.on(`GET /v1/runs/${RUN_ID}/output`, ({ path }, response) => {
      const after = Number(new URL(path, 'http://x').searchParams.get('after') ?? 0);
      const items = after < 3 ? [JSON.parse(chunk(after + 1, `${after + 1}\n`)) as unknown] : [];
      json(response, {
        items,
        next: after + items.length,
        complete: true,
        missingBytes: 2_048,
        truncated: false,
      });
    });
    const { out, err } = await at(['run', RUN_ID, '--output']);
    expect(out).toBe('1\n2\n3\n');
    expect(err).toContain('2.0 KiB of the output are not here');
  });

  it('prints all of a timeline', async () => {
    server.on(`GET /v1/runs/${RUN_ID}/timeline`, ({ path }, response) => {
      const after = Number(new URL(path, 'http://x').searchParams.get('after') ?? 0);
      const entry = {
        sequence: after + 1,
        at: 't',
        type: `E${after}`,
        actor: 'a',
        command: 'c',
        data: {},
      };
      json(response, { items: [entry], nextCursor: after < 2 ? String(after + 1) : null });
    });
    const { out } = await at(['timeline', RUN_ID]);
    expect(out.match(/E\d/g)).toEqual(['E0', 'E1', 'E2']);
  });

  it.each(['runs', 'nodes', 'agents', 'unknowns', 'projections'])(
    'prints with --json what the API answers: %s',
    async (verb) => {
      server.on(`GET /v1/${verb}`, (_seen, response) => json(response, page({ any: 'thing' })));
      expect(JSON.parse((await at([verb, '--json'])).out)).toEqual(page({ any: 'thing' }));
    },
  );

  it('follows what changes until Ctrl-C', async () => {
    const interruption = new AbortController();
    server.on('GET /v1/me', (_seen, response) => json(response, {}));
    server.on('GET /v1/changes', ({ headers }, response) => {
      const seen = Number(headers['last-event-id'] ?? 0);
      if (seen >= 2) interruption.abort();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const data = JSON.stringify({ kind: 'run', id: `r${seen + 1}`, status: 'queued' });
      response.end(`id: ${seen + 1}\nevent: change\ndata: ${data}\n\n`);
    });
    const { exitCode, out } = await at(['watch', '--json'], { interrupted: interruption.signal });
    expect(exitCode).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .slice(0, 2)
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(['r1', 'r2']);
  });
});

describe('tokens', () => {
  it('prints a new one alone, so that it can be piped', async () => {
    server.on('POST /v1/tokens', (_seen, response) => json(response, { token: 'hf_new' }, 201));
    const { out } = await at(['token', 'issue', 'user:ada', '--role', 'agent']);
    expect(out).toBe('hf_new\n');
    expect(server.seen[0]?.body).toEqual({ principal: 'user:ada', role: 'agent' });
  });

  it('never sends the one that is to be revoked', async () => {
    server.on('POST /v1/tokens/revoke', (_seen, response) => json(response, {}));
    expect((await at(['token', 'revoke', 'hf_secret'])).exitCode).toBe(0);
    expect(JSON.stringify(server.seen)).not.toContain('hf_secret');
    expect(server.seen[0]?.body).toMatchObject({
      tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe('which server, and as whom', () => {
  const home = (): string => join(folder, '.holdfast');
  const port = (): string => new URL(server.url).port;
  beforeEach(() => {
    server.on('GET /v1/nodes', (_seen, response) =>
      json(response, { items: [], nextCursor: null }),
    );
    mkdirSync(join(home(), 'run'), { recursive: true });
    writeFileSync(join(home(), 'operator.token'), 'local-token\n');
    writeFileSync(join(home(), 'run', 'gateway.port'), `${port()}\n`);
    mkdirSync(join(folder, 'deep', 'down'), { recursive: true });
  });
  const bare = (setting: Setting): Promise<Outcome> =>
    holdfast(['nodes'], { ...setting, env: { HOLDFAST_TOKEN: '', ...setting.env } });

  it('is found in the local stack from the working directory upwards', async () => {
    expect(await bare({ cwd: join(folder, 'deep', 'down') })).toMatchObject({ exitCode: 0 });
    expect(server.seen[0]?.headers.authorization).toBe('Bearer local-token');
  });

  it('is found where HOLDFAST_HOME says, at the port that HOLDFAST_PORT says', async () => {
    const env = { HOLDFAST_HOME: home(), HOLDFAST_PORT: port() };
    expect(await bare({ env })).toMatchObject({ exitCode: 0 });
  });

  it('prefers what is named', async () => {
    const env = { HOLDFAST_URL: server.url, HOLDFAST_TOKEN: 'mine' };
    expect(await bare({ cwd: folder, env })).toMatchObject({ exitCode: 0 });
    expect(server.seen[0]?.headers.authorization).toBe('Bearer mine');
  });

  it('does not tell the local token to a server elsewhere', async () => {
    const env = { HOLDFAST_URL: 'http://holdfast.invalid' };
    const { exitCode, err } = await bare({ cwd: folder, env });
    expect(exitCode).toBe(2);
    expect(err).toContain('no token');
  });

  it('is asked for when there is no token at all', async () => {
    const { exitCode, err } = await bare({ env: { HOLDFAST_URL: server.url } });
    expect(exitCode).toBe(2);
    expect(err).toContain('HOLDFAST_TOKEN');
    expect(server.seen).toEqual([]);
  });

  it('is refused with a token that is not valid', async () => {
    server.on('GET /v1/nodes', (_seen, response) => problem(response, 401, 'unauthenticated'));
    expect((await at(['nodes'])).exitCode).toBe(2);
  });
});

describe('doctor', () => {
  const ready = {
    ready: true,
    checks: { nats: { ok: true, detail: 'connected' }, commands: { ok: true, detail: 'answers' } },
    durability: { survives: 'power-loss', explanation: 'synced' },
    projectionLagMs: 3,
  };
  const page = (...items: unknown[]) => ({ items, nextCursor: null });
  const well = (): StubServer =>
    server
      .on('GET /readyz', (_seen, response) => json(response, ready))
      .on('GET /v1/me', (_seen, response) =>
        json(response, { principal: 'user:ada', role: 'operator', workspace: 'main' }),
      )
      .on('GET /v1/nodes', (_seen, response) => json(response, page(nodeView())))
      .on('GET /v1/unknowns', (_seen, response) => json(response, page()));

  it('ends with 0 when all is well', async () => {
    well();
    const { exitCode, out } = await at(['doctor']);
    expect(exitCode).toBe(0);
    expect(out).not.toContain('✗');
    expect(out).toContain('✓ token: user:ada, operator, in workspace main\n');
  });

  it.each<[string, () => void, string]>([
    [
      'a part that is away',
      () =>
        server.on('GET /readyz', (_seen, response) =>
          json(
            response,
            {
              ...ready,
              ready: false,
              checks: { queries: { ok: false, detail: 'nobody listens' } },
            },
            503,
          ),
        ),
      'logs/queries.log',
    ],
    [
      'read models that lag',
      () =>
        server.on('GET /readyz', (_seen, response) =>
          json(response, { ...ready, projectionLagMs: 9_000 }),
        ),
      '9 s behind',
    ],
    [
      'a token that is not valid',
      () => server.on('GET /v1/me', (_seen, response) => problem(response, 401, 'unauthenticated')),
      'HOLDFAST_TOKEN',
    ],
    [
      'a silent node',
      () =>
        server.on('GET /v1/nodes', (_seen, response) =>
          json(response, page(nodeView({ liveness: 'silent', lastHeardAt: null }))),
        ),
      'Start its node-agent again',
    ],
    [
      'no node',
      () => server.on('GET /v1/nodes', (_seen, response) => json(response, page())),
      'Start a node-agent',
    ],
    [
      'an unknown outcome',
      () => server.on('GET /v1/unknowns', (_seen, response) => json(response, page(unknownRun()))),
      'holdfast resolve',
    ],
    [
      'an agent that may be alive',
      () =>
        server.on('GET /v1/unknowns', (_seen, response) => json(response, page(unknownSpawn()))),
      'holdfast spawns resolve',
    ],
  ])('finds %s, ends with 1 and says what to do', async (_what, break_, remedy) => {
    well();
    break_();
    const { exitCode, out } = await at(['doctor']);
    expect(exitCode).toBe(1);
    expect(out).toContain('✗');
    expect(out).toContain(remedy);
  });

  it('reminds of a drained node without calling it a fault', async () => {
    const drained = { reason: 'new disk', actor: 'user:ada', since: '2026-11-29T11:57:00.000Z' };
    well().on('GET /v1/nodes', (_seen, response) => json(response, page(nodeView({ drained }))));
    const { exitCode, out } = await at(['doctor']);
    expect(exitCode).toBe(0);
    expect(out).toContain('! node build-7: drained by user:ada: new disk\n');
  });

  it('explains a weaker durability without calling it a fault', async () => {
    well().on('GET /readyz', (_seen, response) =>
      json(response, {
        ...ready,
        durability: { survives: 'process-death', explanation: 'not synced' },
      }),
    );
    const { exitCode, out } = await at(['doctor']);
    expect(exitCode).toBe(0);
    expect(out).toContain('! durability in force: not synced\n');
  });

  it('says when nobody is there', async () => {
    const { url } = server;
    await server.close();
    server = await StubServer.start();
    const { exitCode, out } = await holdfast(['doctor', '--url', url]);
    expect(exitCode).toBe(2);
    expect(out).toContain('npm start');
  });
});

describe('help', () => {
  const VERBS = [
    'submit',
    'spawn',
    'spawns',
    'stop',
    'runs',
    'run',
    'timeline',
    'watch',
    'nodes',
    'agents',
    'unknowns',
    'resolve',
    'projections',
    'doctor',
  ];
  it('lists the verbs that there are', async () => {
    const { exitCode, out } = await at(['--help']);
    expect(exitCode).toBe(0);
    for (const verb of VERBS) expect(out).toMatch(new RegExp(`^  ${verb} `, 'm'));
    expect(out).not.toMatch(/rebuild|backup/);
    expect(out).toContain('Exit codes');
  });

  const BELOW = [
    ['token', 'issue'],
    ['token', 'revoke'],
    ['spawns', 'show'],
    ['spawns', 'timeline'],
    ['spawns', 'resolve'],
    ['nodes', 'drain'],
    ['nodes', 'return'],
  ];
  it.each([...VERBS.map((verb) => [verb]), ...BELOW])('has examples: %s %s', async (...words) => {
    const { exitCode, out } = await at([...words.filter(Boolean), '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain('Examples:\n  $ holdfast ');
    expect(out).toContain('--json');
  });

  it('is shown, with exit code 2, to whoever says nothing', async () => {
    expect((await at([])).exitCode).toBe(2);
  });
});
