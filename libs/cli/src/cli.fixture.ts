import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Problem, RunDetailView } from '#contracts';
import type { Io, Patience } from './io.js';
import { run } from './program.js';

/** A request as the stub server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}
export type Handler = (seen: Seen, response: ServerResponse) => void | Promise<void>;

export const json = (
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
};

export const problem = (
  response: ServerResponse,
  status: number,
  code: string,
  more: Partial<Problem> = {},
): void =>
  json(
    response,
    {
      type: 'x',
      title: code,
      status,
      code,
      detail: `says ${code}`,
      retryable: false,
      requestId: 'r',
      ...more,
    },
    status,
  );

/** Stands for a gateway: answers by method and path, and remembers what it was asked. */
export class StubServer {
  readonly seen: Seen[] = [];
  private readonly handlers = new Map<string, Handler>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<StubServer> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const stub = new StubServer(server, `http://127.0.0.1:${port}`);
    server.on('request', (request, response) => void stub.answer(request, response));
    return stub;
  }

  /** @param route such as `GET /v1/runs`; a query string is not a part of it. */
  on(route: string, handler: Handler): this {
    this.handlers.set(route, handler);
    return this;
  }

  to(route: string): readonly Seen[] {
    return this.seen.filter(
      ({ method, path }) => `${method} ${path.split('?')[0] ?? ''}` === route,
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { method = '', url: path = '', headers } = request;
    const seen = {
      method,
      path,
      headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
    this.seen.push(seen);
    const handler = this.handlers.get(`${method} ${path.split('?')[0] ?? ''}`);
    if (handler === undefined) problem(response, 404, 'route_not_found');
    else await handler(seen, response);
  }
}

/** What a run of the command line came to. */
export interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

const SHORT: Patience = {
  requestMs: 10_000,
  retryForMs: 400,
  pauseMs: 10,
  pauseMaxMs: 20,
  pollMs: 10,
  lastOutputMs: 10_000,
};

export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: readonly (string | Uint8Array)[];
  readonly isTerminal?: boolean;
  readonly patience?: Partial<Patience>;
  readonly interrupted?: AbortSignal;
}

/** The time that the command line sees. */
export const NOW = Date.parse('2026-11-29T12:00:00.000Z');

/** Runs the command line in memory. */
export const holdfast = async (
  args: readonly string[],
  setting: Setting = {},
): Promise<Outcome> => {
  const out: Uint8Array[] = [];
  let err = '';
  const isTerminal = setting.isTerminal === true;
  const io: Io = {
    version: '1.2.3',
    env: { HOLDFAST_TOKEN: 'token-1', ...setting.env },
    cwd: setting.cwd ?? '/',
    stdin: (async function* () {
      for (const chunk of setting.stdin ?? []) yield Buffer.from(chunk as string);
    })(),
    out: { isTerminal, write: (text) => void out.push(Buffer.from(text as string)) },
    err: { isTerminal, write: (text) => void (err += String(text)) },
    now: () => NOW,
    interrupted: setting.interrupted ?? new AbortController().signal,
    patience: { ...SHORT, ...setting.patience },
  };
  const exitCode = await run(args, io);
  return { exitCode, out: Buffer.concat(out).toString(), err };
};

export const RUN_ID = '11111111-1111-4111-8111-111111111111';

export const runView = (changes: Partial<RunDetailView> = {}): RunDetailView => ({
  runId: RUN_ID,
  sessionId: RUN_ID,
  agent: 'echo',
  node: 'local',
  status: 'completed',
  waitsFor: null,
  code: null,
  settledBy: 'node',
  submittedBy: 'user:ada',
  submittedAt: '2026-11-29T11:59:50.000Z',
  dispatchedAt: '2026-11-29T11:59:50.100Z',
  startedAt: '2026-11-29T11:59:50.200Z',
  endedAt: '2026-11-29T11:59:53.000Z',
  updatedAt: '2026-11-29T11:59:53.000Z',
  generation: 1,
  attempts: 1,
  attemptsMax: 1,
  runtime: 'cli',
  receipts: { sentAt: null, ackedAt: null, observedAt: null, thread: null, turn: null },
  exitCode: 0,
  output: { bytes: 6, sha256: 'a'.repeat(64), truncated: false },
  stop: null,
  unknown: null,
  lateEvidence: 0,
  alarming: false,
  sequence: 9,
  prompt: 'Hello',
  ...changes,
});

export const unknownRun = (): RunDetailView =>
  runView({
    status: 'unknown',
    code: 'RUN_OUTCOME_UNKNOWN',
    settledBy: null,
    endedAt: null,
    exitCode: null,
    output: null,
    unknown: {
      code: 'RUN_OUTCOME_UNKNOWN',
      witness: 'saga',
      reason: 'the node did not answer three times',
      fenced: false,
      since: '2026-11-29T11:59:58.000Z',
      lastHeardAt: null,
      advice: 'wait for the node, or settle it',
    },
  });
