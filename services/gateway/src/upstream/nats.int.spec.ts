import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Problem, RunView } from '#contracts';
import { RequestServer, connectLink, type Handler, type NatsLink } from '#nats';
import { natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { GatewayUnderTest } from '../gateway.fixture.js';
import { ConnectedUpstream } from './connected.upstream.js';

const submission = { agent: 'echo', prompt: 'Hello' };
const accepted = { runId: 'r', sessionId: 's', status: 'queued' };

let nats: NatsServerUnderTest;
let link: NatsLink;
beforeAll(async () => {
  nats = await natsServerUnderTest();
  link = await connectLink({ url: nats.url, name: 'services' });
});
afterAll(async () => {
  await link.close();
  await nats.stop();
});

let gateway: GatewayUnderTest;
let upstream: ConnectedUpstream;
beforeAll(async () => {
  upstream = new ConnectedUpstream(connectLink({ url: nats.url, name: 'gateway' }));
  gateway = await GatewayUnderTest.start(upstream, {
    patience: {
      queryMs: 300,
      commandAttemptMs: 300,
      commandMs: 900,
      undeliveredMs: 200,
      pauseMs: 20,
    },
  });
  await waitUntil('the gateway is connected', () => upstream.isConnected);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

let servers: RequestServer[];
beforeEach(() => {
  servers = [];
});
afterEach(() => Promise.all(servers.map((server) => server.close())));

const serve = async (subject: string, handler: Handler): Promise<void> => {
  const server = new RequestServer(link, {
    queue: 'service',
    onUnexpected: () => undefined,
  });
  server.serve(subject, handler);
  await server.ready();
  servers.push(server);
};
const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as Problem).code;

describe('a gateway with a real broker behind it', () => {
  it('hands a command on with its key, its token and its trace, and answers what it is told', async () => {
    const seen: Record<string, unknown> = {};
    await serve('hf.cmd.runs.submit', async (body, request) => {
      for (const name of ['authorization', 'idempotency-key', 'hf-request-id', 'traceparent'])
        seen[name] = request.header(name);
      seen['body'] = body;
      return { value: accepted, replayed: true };
    });
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const response = await gateway.post('/v1/submissions', submission, {
      'x-request-id': 'req-1',
      traceparent: trace,
      'idempotency-key': 'a key with "every" %printable ~character!',
    });
    expect(response.status).toBe(202);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(await response.json()).toEqual(accepted);
    expect(seen).toEqual({
      authorization: 'Bearer token-1',
      'idempotency-key': 'a key with "every" %printable ~character!',
      'hf-request-id': 'req-1',
      traceparent: trace,
      body: submission,
    });
  });

  it('says that nothing happened where nobody listens', async () => {
    expect(await codeOf(await gateway.post('/v1/submissions', submission))).toBe(
      'service_unavailable',
    );
    expect(await codeOf(await gateway.get('/v1/runs'))).toBe('service_unavailable');
  });

  it('waits for a service that starts meanwhile', async () => {
    const asking = gateway.get('/v1/runs');
    await serve('hf.qry.runs.list', async () => ({ items: [], nextCursor: null }));
    expect((await asking).status).toBe(200);
  });

  it('asks again, under the same key, when an answer does not come', async () => {
    const keys: unknown[] = [];
    await serve('hf.cmd.runs.submit', (_body, request) => {
      keys.push(request.header('idempotency-key'));
      if (keys.length === 1) return new Promise(() => undefined); // It died with the request in its hands.
      return Promise.resolve({ value: accepted, replayed: false });
    });
    expect((await gateway.post('/v1/submissions', submission)).status).toBe(202);
    expect(keys).toEqual(['key-1', 'key-1']);
    servers.length = 0; // That one never finishes.
  });

  it('shows a fault of a service as a fault, without its words', async () => {
    await serve('hf.qry.runs.list', async () => {
      throw new Error('the password is 12345');
    });
    const response = await gateway.get('/v1/runs');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('12345');
  });

  it('is itself again when the broker was killed and is back', async () => {
    await serve('hf.qry.runs.list', async () => ({ items: [] as RunView[], nextCursor: null }));
    expect((await gateway.get('/v1/runs')).status).toBe(200);
    await nats.server.kill();
    await waitUntil('the gateway notices', () => !upstream.isConnected);
    const response = await gateway.post('/v1/submissions', submission);
    expect(await codeOf(response)).toBe('service_unavailable'); // Nothing is kept to be sent later.
    const ready = (await (await gateway.get('/readyz')).json()) as { ready: boolean };
    expect(ready.ready).toBe(false);
    await nats.server.restart();
    await waitUntil(
      'reads are answered',
      async () => (await gateway.get('/v1/runs')).status === 200,
    );
  });
});
