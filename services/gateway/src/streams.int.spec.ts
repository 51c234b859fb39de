import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readServerEvents, type ServerEvent } from '#cli';
import type { ChangeView, OutputChunkView } from '#contracts';
import { waitUntil } from '#testing';
import { FakeUpstream, GatewayUnderTest, answer, refuse } from './gateway.fixture.js';
import { DEFAULT_PACE } from './streams/stream-pace.js';
import { STREAMS_PER_TOKEN_MAX } from './streams/stream-registry.js';

const RUN = '11111111-1111-4111-8111-111111111111';
const OUTPUT = `/v1/runs/${RUN}/output`;
const me = { principal: 'user:ada', role: 'viewer', workspace: 'main' };

/** A client that listens: what it heard so far, and whether the stream has ended. */
class Listener {
  readonly heard: ServerEvent[] = [];
  ended = false;
  private readonly leaving = new AbortController();

  constructor(readonly response: Response) {
    void this.listen(response.body!);
  }

  static async to(path: string, headers: Record<string, string> = {}): Promise<Listener> {
    const response = await gateway.get(path, { accept: 'text/event-stream', ...headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    return new Listener(response);
  }

  get events(): readonly string[] {
    return this.heard.map(({ event }) => event);
  }

  datas(event: string): readonly unknown[] {
    return this.heard
      .filter((one) => one.event === event)
      .map(({ data }) => JSON.parse(data) as unknown);
  }

  get chunks(): readonly OutputChunkView[] {
    return this.datas('chunk') as OutputChunkView[];
  }

  get changes(): readonly ChangeView[] {
    return this.datas('change') as ChangeView[];
  }

  leave(): void {
    this.leaving.abort();
  }

  private async listen(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    this.leaving.signal.addEventListener('abort', () => void reader.cancel());
    const bytes = async function* () {
      for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    };
    try {
      for await (const event of readServerEvents(bytes())) this.heard.push(event);
    } finally {
      this.ended = true;
    }
  }
}

let upstream: FakeUpstream;
let gateway: GatewayUnderTest;
beforeEach(async () => {
  upstream = new FakeUpstream().on('hf.qry.access.identify', () => answer(me));
  gateway = await GatewayUnderTest.start(upstream);
});
afterEach(() => gateway.close());

describe('the output of a run, as a stream', () => {
  let chunks: OutputChunkView[];
  let isSettled: boolean;
  const write = (text: string): void => {
    const sequence = (chunks.at(-1)?.sequence ?? 10) + 5;
    const data = Buffer.from(text).toString('base64');
    chunks.push({ sequence, generation: 1, offset: 0, data });
  };
  beforeEach(() => {
    chunks = [];
    isSettled = false;
    upstream.on('hf.qry.runs.output', ({ body }) => {
      const items = chunks
        .filter(({ sequence }) => sequence > (body['after'] as number))
        .slice(0, 2);
      const next = items.at(-1)?.sequence ?? (body['after'] as number);
      const complete = isSettled && next === (chunks.at(-1)?.sequence ?? 0);
      return answer({ items, next, complete, missingBytes: 3, truncated: false });
    });
  });
  const textOf = (listener: Listener): string =>
    listener.chunks.map(({ data }) => Buffer.from(data, 'base64').toString()).join('');

  it('comes as it is written, and ends when the run is settled and all was read', async () => {
    write('one ');
    const listener = await Listener.to(OUTPUT);
    await waitUntil('the first chunk', () => textOf(listener) === 'one ');
    for (const word of ['two ', 'three ', 'four']) write(word);
    await waitUntil('the others', () => textOf(listener) === 'one two three four');
    expect(listener.ended).toBe(false);
    isSettled = true;
    await waitUntil('the end', () => listener.ended);
    expect(listener.events.at(-1)).toBe('end');
    expect(listener.datas('end')).toEqual([{ missingBytes: 3, truncated: false }]);
  });

  it('goes on after the last chunk that a client has', async () => {
    for (const word of ['one ', 'two ', 'three']) write(word);
    const first = await Listener.to(OUTPUT);
    await waitUntil('all of it', () => textOf(first) === 'one two three');
    first.leave();
    const id = first.heard[1]!.id!;
    expect(textOf(await settled(await Listener.to(OUTPUT, { 'last-event-id': id })))).toBe('three');
    expect(textOf(await settled(await Listener.to(`${OUTPUT}?after=${id}`)))).toBe('three');
  });
  const settled = async (listener: Listener): Promise<Listener> => {
    isSettled = true;
    await waitUntil('the end', () => listener.ended);
    return listener;
  };

  it('is refused before it begins when there is no such run', async () => {
    upstream.on('hf.qry.runs.output', () => refuse('run_not_found'));
    const response = await gateway.get(OUTPUT, { accept: 'text/event-stream' });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it.each(['x', '-1', '1.5', '9'.repeat(16)])('does not go on after %j', async (id) => {
    const response = await gateway.get(OUTPUT, {
      accept: 'text/event-stream',
      'last-event-id': id,
    });
    expect(response.status).toBe(400);
  });

  it('ends with a word when the token is revoked meanwhile', async () => {
    const listener = await Listener.to(OUTPUT);
    upstream.on('hf.qry.runs.output', () => refuse('unauthenticated'));
    await waitUntil('the end', () => listener.ended);
    expect(listener.datas('closing')).toMatchObject([{ code: 'unauthenticated' }]);
  });

  it('is a page of JSON for whoever does not ask for a stream', async () => {
    write('one');
    const response = await gateway.get(`${OUTPUT}?after=0`, { accept: 'application/json' });
    expect(await response.json()).toMatchObject({ next: 15, complete: false });
  });

  it('is not kept for a client that reads nothing', async () => {
    await gateway.close();
    gateway = await GatewayUnderTest.start(upstream, {
      pace: { ...DEFAULT_PACE, pollMs: 10, stalledMs: 50 },
    });
    let sequence = 0;
    upstream.on('hf.qry.runs.output', () => {
      const data = 'A'.repeat(64 * 1024);
      const items = [{ sequence: (sequence += 1), generation: 1, offset: 0, data }];
      return answer({ items, next: sequence, complete: false, missingBytes: 0, truncated: false });
    });
    const streams = async (): Promise<string | undefined> =>
      /_http_streams_open\{.*\} (\d+)/.exec(await (await gateway.get('/metrics')).text())?.[1];
    const client = connect(gateway.port, '127.0.0.1');
    client.on('error', () => undefined); // It is let go with what it did not read.
    client.write(
      `GET ${OUTPUT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nAccept: text/event-stream\r\n\r\n`,
    );
    await waitUntil('the stream is open', async () => (await streams()) === '1');
    await waitUntil('the stream is closed', async () => (await streams()) === '0');
    client.destroy();
  });

  it('stops asking when its client has gone', async () => {
    const listener = await Listener.to(OUTPUT);
    await waitUntil('some looks', () => upstream.to('hf.qry.runs.output').length > 2);
    listener.leave();
    await waitUntil('the stream is forgotten', async () => {
      const before = upstream.to('hf.qry.runs.output').length;
      await (await gateway.get('/livez')).text();
      await (await gateway.get('/v1/me')).text();
      return upstream.to('hf.qry.runs.output').length === before;
    });
  });
});

describe('the changes of a workspace, as a stream', () => {
  let rows: (ChangeView & { at: number })[];
  let now: number;
  const change = (id: string, status = 'queued'): void => {
    now += 1;
    rows.push({ kind: 'run', id, status, at: now });
  };
  beforeEach(() => {
    rows = [];
    now = 100;
    upstream.on('hf.qry.changes.list', ({ body }) => {
      const after = body['after'] as number | undefined;
      if (after === undefined) return answer({ items: [], next: now });
      const items = rows.filter(({ at }) => at > after).slice(0, 3);
      const next = items.length === 3 ? items[2]!.at : now;
      return answer({ items: items.map(({ at: _, ...view }) => view), next });
    });
  });
  const idsOf = (listener: Listener): string => listener.changes.map(({ id }) => id).join('');
  const ready = async (listener: Listener): Promise<Listener> => {
    await waitUntil('the stream is ready', () => listener.heard.length > 0);
    return listener;
  };

  it('starts from now, and tells what changes', async () => {
    change('x');
    const listener = await ready(await Listener.to('/v1/changes'));
    expect(listener.heard[0]).toMatchObject({ event: 'ready', id: '101' });
    for (const id of 'abcdefg') change(id);
    await waitUntil('all changes', () => idsOf(listener) === 'abcdefg');
  });

  it('is read once for all who watch', async () => {
    const listeners = await Promise.all(
      Array.from({ length: 8 }, async () => ready(await Listener.to('/v1/changes'))),
    );
    change('a');
    await waitUntil('all have it', () => listeners.every((one) => idsOf(one) === 'a'));
    const before = upstream.to('hf.qry.changes.list').length;
    for (const id of 'bcd') change(id);
    await waitUntil('all have them', () => listeners.every((one) => idsOf(one) === 'abcd'));
    const looks = upstream.to('hf.qry.changes.list').slice(before);
    // One look of one poller may find them all; eight pollers would need eight.
    const found = looks.filter(({ body }) => (body['after'] as number) < 104);
    expect(found.length).toBeLessThan(8);
  });

  it('goes on where a client was', async () => {
    const first = await ready(await Listener.to('/v1/changes'));
    for (const id of 'ab') change(id);
    await waitUntil('the first two', () => idsOf(first) === 'ab');
    first.leave();
    const id = first.heard.at(-1)!.id!;
    for (const one of 'cdefgh') change(one);
    const second = await Listener.to('/v1/changes', { 'last-event-id': id });
    await waitUntil('the others', () => idsOf(second) === 'cdefgh');
    change('i');
    await waitUntil('the next', () => idsOf(second) === 'cdefghi');
  });

  it('tells whoever is too far behind to read everything again', async () => {
    for (let count = 0; count < 100; count += 1) change('x');
    const listener = await Listener.to('/v1/changes', { 'last-event-id': '100' });
    await waitUntil('the gap', () => listener.events.includes('gap'));
    change('a');
    await waitUntil('what comes then', () => idsOf(listener).endsWith('a'));
  });

  it('tells whoever is ahead of the stream, as after a restore, to read everything again', async () => {
    const listener = await Listener.to('/v1/changes', { 'last-event-id': '5000' });
    await waitUntil('the gap', () => listener.events.includes('gap'));
    change('a');
    await waitUntil('what comes then', () => idsOf(listener) === 'a');
  });

  it('goes on when the read side was away', async () => {
    const listener = await ready(await Listener.to('/v1/changes'));
    const answering = (): number => upstream.to('hf.qry.changes.list').length;
    const present = upstream.responderOf('hf.qry.changes.list');
    upstream.on('hf.qry.changes.list', () => ({ kind: 'not-delivered' }));
    const before = answering();
    await waitUntil('it was asked in vain', () => answering() > before + 2);
    change('a');
    upstream.on('hf.qry.changes.list', present);
    await waitUntil('the change', () => idsOf(listener) === 'a');
  });

  it('lets go of a token that was revoked, and serves the others', async () => {
    const listener = await ready(await Listener.to('/v1/changes'));
    const other = await ready(
      await Listener.to('/v1/changes', { authorization: 'Bearer token-2' }),
    );
    const present = upstream.responderOf('hf.qry.changes.list');
    upstream.on('hf.qry.changes.list', (asked) =>
      asked.headers['authorization'] === 'Bearer token-1'
        ? refuse('unauthenticated')
        : present(asked),
    );
    await waitUntil('the end', () => listener.ended);
    change('a');
    await waitUntil('the change', () => idsOf(other) === 'a');
  });

  it('asks for each token again while the stream lasts', async () => {
    await gateway.close();
    gateway = await GatewayUnderTest.start(upstream, {
      pace: { ...DEFAULT_PACE, pollMs: 10, pollMaxMs: 40, heartbeatMs: 20 },
    });
    const listener = await ready(await Listener.to('/v1/changes'));
    upstream.on('hf.qry.access.identify', () => refuse('unauthenticated'));
    await waitUntil('the end', () => listener.ended);
    expect(listener.datas('closing')).toMatchObject([{ code: 'unauthenticated' }]);
  });

  it('is refused to whoever has too many already', async () => {
    for (let count = 0; count < STREAMS_PER_TOKEN_MAX; count += 1) await Listener.to('/v1/changes');
    const response = await gateway.get('/v1/changes');
    expect(response.status).toBe(429);
    const other = await gateway.get('/v1/changes', { authorization: 'Bearer token-2' });
    expect(other.status).toBe(200);
  });

  it('shows that it lives while nothing changes', async () => {
    await gateway.close();
    gateway = await GatewayUnderTest.start(upstream, {
      pace: { ...DEFAULT_PACE, heartbeatMs: 15 },
    });
    const response = await gateway.get('/v1/changes');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    await waitUntil('two heartbeats', async () => {
      text += new TextDecoder().decode((await reader.read()).value);
      return text.split(': still here').length > 2;
    });
    await reader.cancel();
  });

  it('ends with a word when the gateway does', async () => {
    const listener = await ready(await Listener.to('/v1/changes'));
    await gateway.close();
    await waitUntil('the end', () => listener.ended);
    expect(listener.events.at(-1)).toBe('closing');
  });
});
