import type { Answer } from '#nats';
import { Metrics, createLogger } from '#platform';
import { Dashboard } from './dashboard/dashboard.js';
import { Gateway, type GatewayOptions } from './gateway.js';
import { GatewayReadiness } from './health/readiness.js';
import { DEFAULT_HTTP_LIMITS } from './http/http-limits.js';
import { DEFAULT_PACE } from './streams/stream-pace.js';
import type { Upstream } from './upstream/upstream.js';

/** What a responder is asked. */
export interface Asked {
  readonly subject: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}
export type Responder = (asked: Asked) => Answer | Promise<Answer>;

export const answer = (value: unknown): Answer => ({ kind: 'answer', value });
export const refuse = (code: string, retryable = false, details?: unknown): Answer => ({
  kind: 'refused',
  error: {
    code,
    message: `refused: ${code}`,
    retryable,
    ...(details === undefined ? {} : { details: details as never }),
  },
});

/** Stands for `commands` and `queries`: answers by subject, and remembers what it was asked. */
export class FakeUpstream implements Upstream {
  readonly asked: Asked[] = [];
  private readonly responders = new Map<string, Responder>();

  on(subject: string, responder: Responder): this {
    this.responders.set(subject, responder);
    return this;
  }

  responderOf(subject: string): Responder {
    const responder = this.responders.get(subject);
    if (responder === undefined) throw new Error(`nobody answers ${subject}`);
    return responder;
  }

  /** As if nobody had been asked, and nobody were there. */
  forget(): void {
    this.asked.length = 0;
    this.responders.clear();
  }

  to(subject: string): readonly Asked[] {
    return this.asked.filter((one) => one.subject === subject);
  }

  async request<Value = unknown>(
    subject: string,
    body: unknown,
    options: { readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Answer<Value>> {
    const asked = { subject, body: body as Asked['body'], headers: options.headers ?? {} };
    this.asked.push(asked);
    const responder = this.responders.get(subject);
    return (await (responder?.(asked) ?? { kind: 'not-delivered' })) as Answer<Value>;
  }
}

/** Times that let a test see a timeout. Milliseconds. */
const SHORT_PATIENCE = {
  queryMs: 400,
  commandAttemptMs: 400,
  commandMs: 800,
  undeliveredMs: 100,
  pauseMs: 10,
};

/** A gateway on a free port of the loopback interface, in this process. */
export class GatewayUnderTest {
  private constructor(
    readonly gateway: Gateway,
    readonly url: string,
    readonly port: number,
    readonly log: string[],
  ) {}

  static async start(
    upstream: Upstream,
    changes: Partial<GatewayOptions> = {},
  ): Promise<GatewayUnderTest> {
    const log: string[] = [];
    const readiness = new GatewayReadiness({
      upstream,
      isConnected: () => true,
      durability: async () => ({
        check: { ok: true },
        durability: { survives: 'power-loss', explanation: 'synced' },
      }),
    });
    const gateway = await Gateway.create({
      upstream,
      readiness,
      patience: SHORT_PATIENCE,
      pace: { ...DEFAULT_PACE, pollMs: 10, pollMaxMs: 40 },
      limits: DEFAULT_HTTP_LIMITS,
      logger: createLogger(
        { service: 'gateway', instance: 'test', logLevel: 'debug' },
        { write: (line: string) => void log.push(line) },
      ),
      metrics: new Metrics('gateway'),
      dashboard: Dashboard.none,
      ...changes,
    });
    const port = await gateway.listen(0, '127.0.0.1');
    return new GatewayUnderTest(gateway, `http://127.0.0.1:${port}`, port, log);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.url + path, { headers: { authorization: 'Bearer token-1', ...headers } });
  }

  post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      headers: {
        authorization: 'Bearer token-1',
        'content-type': 'application/json',
        'idempotency-key': 'key-1',
        ...headers,
      },
    });
  }

  close(): Promise<void> {
    return this.gateway.close();
  }
}
