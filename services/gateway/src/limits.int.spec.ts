import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Problem } from '#contracts';
import { waitUntil } from '#testing';
import { Dashboard } from './dashboard/dashboard.js';
import { FakeUpstream, GatewayUnderTest, answer } from './gateway.fixture.js';
import { DEFAULT_HTTP_LIMITS } from './http/http-limits.js';

const accepted = { value: { runId: 'r', sessionId: 'r', status: 'queued' }, replayed: false };
const HEAD = [
  'POST /v1/submissions HTTP/1.1',
  'Host: x',
  'Authorization: Bearer token-1',
  'Content-Type: application/json',
  'Idempotency-Key: k',
];

let gateway: GatewayUnderTest;
const open: Socket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await gateway.close();
});

/** A client that sends bytes as it likes. */
class RawClient {
  text = '';
  closed = false;
  private constructor(readonly socket: Socket) {
    open.push(socket);
    socket.setEncoding('utf8');
    socket.on('data', (data: string) => (this.text += data));
    socket.on('close', () => (this.closed = true));
    socket.on('error', () => (this.closed = true));
  }

  static async to(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1]);
  }

  get problem(): Problem {
    return JSON.parse(this.text.slice(this.text.indexOf('\r\n\r\n') + 4)) as Problem;
  }

  async answered(): Promise<void> {
    await waitUntil('an answer', () => this.text.includes('}') || this.closed);
  }
}

describe('what a gateway takes', () => {
  const limits = { ...DEFAULT_HTTP_LIMITS, headersMs: 150, requestMs: 250, checkMs: 30 };
  const upstream = new FakeUpstream().on('hf.cmd.runs.submit', () => answer(accepted));

  it('is a body that comes slowly, up to a time', async () => {
    gateway = await GatewayUnderTest.start(upstream, { limits });
    const client = await RawClient.to(gateway.port);
    client.socket.write([...HEAD, 'Content-Length: 100', '', '{"agent":'].join('\r\n'));
    await client.answered();
    expect(client.status).toBe(408);
    expect(client.problem).toMatchObject({ code: 'request_timeout', retryable: true });
    expect(upstream.asked).toEqual([]);
  });

  it('has one key: a header that was sent twice names none', async () => {
    gateway = await GatewayUnderTest.start(upstream, { limits });
    const client = await RawClient.to(gateway.port);
    const body = '{"agent":"a","prompt":"p"}';
    const head = [...HEAD, 'Idempotency-Key: l', `Content-Length: ${body.length}`];
    client.socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    await client.answered();
    expect([client.status, client.problem.code]).toEqual([400, 'invalid_idempotency_key']);
    expect(upstream.asked).toEqual([]);
  });

  it('is headers that come slowly, up to a time', async () => {
    gateway = await GatewayUnderTest.start(upstream, { limits });
    const client = await RawClient.to(gateway.port);
    client.socket.write('GET /livez HTTP/1.1\r\nHost: ');
    await client.answered();
    expect(client.status).toBe(408);
  });

  it.each([
    ['no HTTP', 'Hello\r\n\r\n', 400, 'malformed_http'],
    [
      'headers of 20 KiB',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'two lengths',
      'POST /v1/stops HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_http',
    ],
  ])('is not %s', async (_what, bytes, status, code) => {
    gateway = await GatewayUnderTest.start(upstream, { limits });
    const client = await RawClient.to(gateway.port);
    client.socket.write(bytes);
    await client.answered();
    expect(client.status).toBe(status);
    expect(client.problem.code).toBe(code);
  });

  it.each([
    ['said to be too large', [`Content-Length: ${512 * 1024 + 1}`], ''],
    ['too large, in chunks', ['Transfer-Encoding: chunked'], '90000\r\n' + 'x'.repeat(0x90000)],
  ])('is not a body that is %s', async (_what, headers, body) => {
    gateway = await GatewayUnderTest.start(upstream);
    const client = await RawClient.to(gateway.port);
    client.socket.write([...HEAD, ...headers, '', body].join('\r\n'));
    await client.answered();
    expect(client.status).toBe(413);
    expect(client.problem.code).toBe('body_too_large');
  });

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'x',
  ])('is not a body of type %s', async (type) => {
    gateway = await GatewayUnderTest.start(upstream);
    const client = await RawClient.to(gateway.port);
    const lines = HEAD.filter((line) => !line.startsWith('Content-Type'));
    const typed = type === undefined ? [] : [`Content-Type: ${type}`];
    client.socket.write([...lines, ...typed, 'Content-Length: 2', '', '{}'].join('\r\n'));
    await client.answered();
    expect(client.status).toBe(415);
    expect(client.problem.code).toBe('unsupported_media_type');
  });

  it('is heard out when it is far too large, so that its sender learns why', async () => {
    gateway = await GatewayUnderTest.start(upstream);
    const response = await gateway.post('/v1/submissions', 'x'.repeat(16 * 1024 * 1024));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'body_too_large' });
  });

  it('is so many connections, and no more', async () => {
    gateway = await GatewayUnderTest.start(upstream, {
      limits: { ...DEFAULT_HTTP_LIMITS, connectionsMax: 2 },
    });
    const first = await RawClient.to(gateway.port);
    const second = await RawClient.to(gateway.port);
    const third = await RawClient.to(gateway.port);
    await waitUntil('the third is let go', () => third.closed);
    expect([first.closed, second.closed]).toEqual([false, false]);
  });

  it('is no connection on which nothing moves', async () => {
    gateway = await GatewayUnderTest.start(upstream, {
      limits: { ...DEFAULT_HTTP_LIMITS, silenceMs: 60 },
    });
    const client = await RawClient.to(gateway.port);
    await waitUntil('it is let go', () => client.closed);
  });
});

describe('a gateway that ends', () => {
  it('finishes what it has begun, and takes nothing new', async () => {
    const upstream = new FakeUpstream();
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    upstream.on('hf.cmd.runs.submit', async () => {
      await gate;
      return answer(accepted);
    });
    gateway = await GatewayUnderTest.start(upstream);
    const begun = gateway.post('/v1/submissions', { agent: 'echo', prompt: 'x' });
    await waitUntil('it has begun', () => upstream.asked.length === 1);
    const closing = gateway.close();
    await waitUntil('nobody else gets in', async () => {
      const refused = await gateway.get('/livez').then(
        () => false,
        () => true,
      );
      return refused;
    });
    finish();
    expect((await begun).status).toBe(202);
    await closing;
  });

  it('does not wait for connections on which nobody asks anything', async () => {
    gateway = await GatewayUnderTest.start(new FakeUpstream());
    const client = await RawClient.to(gateway.port);
    client.socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitUntil('the answer', () => client.text.includes('ok'));
    await gateway.close();
    await waitUntil('the connection is closed', () => client.closed);
  });
});

describe('the dashboard', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const built = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-dashboard-'));
    folders.push(folder);
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<title>Holdfast</title>');
    writeFileSync(join(folder, 'assets', 'index-4f2a.js'), 'alert(1)');
    return folder;
  };
  const html = { accept: 'text/html,application/xhtml+xml' };

  it('is served at /, may run only its own scripts, and is asked for again', async () => {
    const folder = built();
    gateway = await GatewayUnderTest.start(new FakeUpstream(), { dashboard: Dashboard.in(folder) });
    rmSync(folder, { recursive: true }); // What it needs it has read.
    const response = await fetch(`${gateway.url}/`, { headers: html });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Holdfast');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const etag = response.headers.get('etag')!;
    const again = await fetch(`${gateway.url}/`, { headers: { ...html, 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('has scripts that never change under their name', async () => {
    gateway = await GatewayUnderTest.start(new FakeUpstream(), {
      dashboard: Dashboard.in(built()),
    });
    const response = await fetch(`${gateway.url}/assets/index-4f2a.js`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each([
    ['/runs/1', 'text/html', 200],
    ['/runs/1?tab=output', 'text/html', 200],
    ['/runs/1', 'application/json', 404],
    ['/assets/old-1.js', 'text/html', 404],
    ['/v1/nothing', 'text/html', 404],
    ['/..%2f..%2fpackage.json', '*/*', 404],
    ['/assets/..%2findex.html', '*/*', 404],
  ])('answers %s for %s with %i', async (path, accept, status) => {
    gateway = await GatewayUnderTest.start(new FakeUpstream(), {
      dashboard: Dashboard.in(built()),
    });
    expect((await fetch(gateway.url + path, { headers: { accept } })).status).toBe(status);
  });

  it('that was not built says how to get it', async () => {
    gateway = await GatewayUnderTest.start(new FakeUpstream(), {
      dashboard: Dashboard.in('/nowhere'),
    });
    const response = await fetch(`${gateway.url}/`, { headers: html });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('npm run build');
  });
});
