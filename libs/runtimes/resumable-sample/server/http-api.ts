import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { validateBehaviours } from '../behaviours.js';
import type { ErrorAnswer, ErrorCode, TurnLine } from '../protocol.js';
import type { LiveTurn } from './live-turn.js';
import { Refusal, type SampleRuntime } from './sample-runtime.js';

const STATUS: { readonly [Code in ErrorCode]: number } = {
  active_writer: 409,
  no_such_thread: 404,
  no_such_turn: 404,
  no_active_turn: 409,
  turn_active: 409,
  not_supported: 501,
  bad_request: 400,
};

/** The runtime's door. */
export const apiOf = (runtime: SampleRuntime): Server =>
  createServer((request, response) => {
    answer(runtime, request, response).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      const body: ErrorAnswer = { error: { code: error.code, message: error.message } };
      reply(response, body, STATUS[error.code]);
    });
  });

interface Call {
  readonly runtime: SampleRuntime;
  readonly thread: string;
  readonly turn: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What is answered as JSON; undefined when lines were, or will be, sent instead. */
type Route = (call: Call) => object | undefined | Promise<object | undefined>;

const ROUTES: Readonly<Record<string, Route>> = {
  'POST /threads': ({ runtime }) => ({ thread: runtime.createThread() }),
  'POST /threads/:t/resume': ({ runtime, thread }) => ({ thread, status: runtime.resume(thread) }),
  'GET /threads/:t': ({ runtime, thread }) => runtime.view(thread),
  'POST /threads/:t/turns': async ({ runtime, thread, request, response }) => {
    beginTurn(runtime, thread, await bodyOf(request), response);
    return undefined;
  },
  'GET /threads/:t/turns/:u/events': ({ runtime, thread, turn, response }) => {
    runtime.turn(thread, turn); // Refused before a line is sent.
    follow(runtime, { thread, turn }, sender(response, 'none'), response);
    return undefined;
  },
  'POST /threads/:t/turns/:u/interrupt': ({ runtime, thread, turn }) => {
    runtime.interrupt(thread, turn);
    return {};
  },
  'GET /turns': ({ runtime, query }) => ({
    turns: runtime.findByClientId(query.get('clientId') ?? ''),
  }),
  'PUT /behaviours': async ({ runtime, request }) => {
    const checked = validateBehaviours(await bodyOf(request), runtime.behaviours);
    if (!checked.ok) throw new Refusal('bad_request', checked.problems.join('; '));
    runtime.behaviours = checked.config;
    return checked.config;
  },
};

const answer = async (
  runtime: SampleRuntime,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://runtime');
  const [, thread = '', turn = ''] =
    /^\/threads\/([^/]+)(?:\/turns\/([^/]+))?/.exec(pathname) ?? [];
  const shape = pathname
    .replace(/^\/threads\/[^/]+/, '/threads/:t')
    .replace(/\/turns\/[^/]+/, '/turns/:u');
  const name = `${request.method ?? ''} ${shape}`;
  const route = ROUTES[name];
  if (route === undefined) throw new Refusal('bad_request', `no such route: ${name}`);
  const body = await route({ runtime, thread, turn, query: searchParams, request, response });
  if (body !== undefined) reply(response, body);
};

const beginTurn = (
  runtime: SampleRuntime,
  thread: string,
  body: unknown,
  response: ServerResponse,
): void => {
  const { clientId, prompt } = (body ?? {}) as { clientId?: unknown; prompt?: unknown };
  if (typeof clientId !== 'string' || typeof prompt !== 'string')
    throw new Refusal('bad_request', 'clientId and prompt must be texts');
  const begun = runtime.begin(thread, clientId, prompt);
  const names = { thread, turn: begun.turn.turn };
  const send = sender(response, runtime.behaviours.hold);
  send({ type: 'ack', ...names });
  switch (begun.kind) {
    case 'lost':
      response.end();
      return;
    case 'joined':
      follow(runtime, names, send, response);
      return;
    case 'begun':
      response.once('close', () => {
        if (!response.writableFinished) begun.clientGone();
      });
      pass(begun.turn, send, response);
      begun.observe(() => send({ type: 'observed', ...names }));
  }
};

/** A turn that is at work here, live; any other as the history has it. */
const follow = (
  runtime: SampleRuntime,
  { thread, turn }: { readonly thread: string; readonly turn: string },
  send: (line: TurnLine) => void,
  response: ServerResponse,
): void => {
  const { status, answer: soFar } = runtime.turn(thread, turn);
  if (soFar !== '') send({ type: 'delta', text: soFar });
  const live = runtime.live(thread, turn);
  if (live !== undefined) {
    pass(live, send, response);
    return;
  }
  if (status !== 'running') send({ type: 'end', status, answer: soFar });
  response.end();
};

const pass = (turn: LiveTurn, send: (line: TurnLine) => void, response: ServerResponse): void => {
  const stop = turn.listen((line) => {
    send(line);
    if (line.type === 'end') response.end();
  });
  response.once('close', stop);
};

const ORDER: readonly TurnLine['type'][] = ['ack', 'observed', 'delta', 'end'];

/** Writes lines, except those that are withheld; a response of which something is withheld is never ended either. */
const sender = (
  response: ServerResponse,
  hold: 'none' | 'ack' | 'observed' | 'end',
): ((line: TurnLine) => void) => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  const from = hold === 'none' ? ORDER.length : ORDER.indexOf(hold);
  if (hold !== 'none') response.end = () => response;
  return (line) => {
    if (ORDER.indexOf(line.type) < from) response.write(`${JSON.stringify(line)}\n`);
  };
};

const reply = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  try {
    return JSON.parse(await text(request)) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal('bad_request', 'the body is no JSON');
    throw error;
  }
};
