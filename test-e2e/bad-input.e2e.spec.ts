import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Problem } from '#contracts';
import { RequestClient, connectLink, type NatsLink } from '#nats';
import { BAD_COMMANDS_AND_READS } from './support/bad-commands-and-reads.js';
import { BAD_NATS } from './support/bad-nats.js';
import { inSetting, type BadHttp, type BadNats, type Setting } from './support/bad-requests.js';
import { BAD_SUBMISSIONS } from './support/bad-submissions.js';
import { Fixture } from './support/fixture.js';

const BAD_HTTP = [...BAD_SUBMISSIONS, ...BAD_COMMANDS_AND_READS];

/** Whatever is asked badly, over either door: a typed error, no 500, and a stream that is as it was. */
describe('a bad request', () => {
  let fixture: Fixture;
  let link: NatsLink;
  let setting: Setting;
  beforeAll(async () => {
    fixture = await Fixture.start();
    link = await connectLink({ url: fixture.stack.natsUrlFor('admin'), name: 'test' });
    const key = randomUUID();
    const { runId } = await fixture.client.submit('ledger', 'say:hello', { key });
    await fixture.client.untilStatus(runId, 'completed');
    const { operatorToken: operator, agentToken: agent } = fixture.stack;
    const viewer = await issue('user:viewer', 'viewer');
    const stranger = await issue('user:stranger', 'operator', 'elsewhere');
    setting = { operator, agent, viewer, stranger, runId, key };
  }, 120_000);
  afterAll(async () => {
    await link.close();
    await fixture.destroy();
  }, 60_000);

  const issue = async (principal: string, role: string, workspace = 'main'): Promise<string> => {
    const body = { principal, role, workspace };
    const issued = await fixture.client.insist<{ token: string }>('/v1/tokens', body, randomUUID());
    return issued.body.token;
  };

  it('has a table of more than 60', () => {
    const names = [...BAD_HTTP, ...BAD_NATS].map(
      (row) => `${'subject' in row ? row.subject : 'HTTP'}: ${row.what}`,
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(60);
  });

  describe.each(BAD_HTTP)('over HTTP: $what', (row) => {
    it(`is answered ${row.status} ${row.code}, and changes nothing`, async () => {
      const before = await fixture.stream.end();
      const response = await send(row);
      const text = await response.text();
      expect({ status: response.status, text }).toEqual({
        status: row.status,
        text: expect.stringContaining(`"code":"${row.code}"`),
      });
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect((JSON.parse(text) as Problem).retryable).toBe(false);
      expect(await fixture.stream.end()).toBe(before);
    });
  });

  describe.each(BAD_NATS)('over NATS: $what to $subject', (row) => {
    it(`is answered ${row.code}, and changes nothing`, async () => {
      const before = await fixture.stream.end();
      expect(await ask(row)).toMatchObject({ code: row.code, retryable: false });
      expect(await fixture.stream.end()).toBe(before);
    });
  });

  it('is told apart from a good one, which moves the stream', async () => {
    const before = await fixture.stream.end();
    const { runId } = await fixture.client.submit('ledger', 'say:still here');
    expect(await fixture.stream.end()).toBeGreaterThan(before);
    await fixture.client.untilStatus(runId, 'completed');
  });

  it('kills no service', () => {
    const ends = fixture.events.filter(({ kind }) => kind === 'ended');
    expect(ends).toEqual([]);
  });

  const send = (row: BadHttp): Promise<Response> => {
    const token = inSetting(row.token ?? (({ operator }: Setting) => operator), setting);
    const key = row.key === undefined ? randomUUID() : inSetting(row.key, setting);
    const type = row.type === undefined ? 'application/json' : row.type;
    const body = row.body === undefined ? undefined : inSetting(row.body, setting);
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    return fetch(fixture.stack.url + inSetting(row.path, setting), {
      method: row.method ?? 'GET',
      headers: {
        ...(token === null || row.token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...(type === null || body === undefined ? {} : { 'content-type': type }),
        ...row.headers,
      },
      // Bytes, so that nobody adds a type that the row leaves out.
      ...(body === undefined
        ? {}
        : { body: isRaw ? Buffer.from(body as string) : Buffer.from(JSON.stringify(body)) }),
    });
  };

  const ask = async (row: BadNats): Promise<unknown> => {
    const body = inSetting(row.body, setting);
    if (body instanceof Uint8Array) {
      const reply = await link.connection.request(row.subject, body, { timeout: 10_000 });
      return (JSON.parse(reply.string()) as { error?: unknown }).error;
    }
    const token = row.token === null ? null : inSetting(row.token ?? setting.operator, setting);
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(row.key === null ? {} : { 'idempotency-key': row.key ?? randomUUID() }),
    };
    const answer = await new RequestClient(link).request(row.subject, body, {
      headers,
      timeoutMs: 10_000,
    });
    return answer.kind === 'refused' ? answer.error : answer;
  };
});
