import { describe, it, expect } from '@jest/globals';
import { ERROR_CODES } from '#contracts';
import { RuleViolation } from '#kernel';
import { tokenOf } from './caller.js';
import { parseJsonBody } from './json-body.js';
import { Refusal, ServiceRefusal } from './problem.error.js';
import { shownOf } from './problem.filter.js';
import { PROBLEMS } from './problem.table.js';
import { requestIdOf, traceparentOf } from './request-metadata.js';
import { RouteTable } from './route-table.js';

describe('the table of refusals', () => {
  it('has a status for every code that a client may be answered', () => {
    const without = ERROR_CODES.filter((code) => PROBLEMS[code] === undefined);
    expect(without).toEqual([]);
  });

  it.each(Object.entries(PROBLEMS))('shows %s as an error with a title', (_code, kind) => {
    expect(kind.status).toBeGreaterThanOrEqual(400);
    expect(kind.status).toBeLessThan(600);
    expect(kind.title).toMatch(/^[A-Z].+[A-Za-z]$/);
  });

  it('calls only what may pass by itself retryable', () => {
    const retryable = Object.entries(PROBLEMS).filter(([, kind]) => kind.retryable);
    expect([...new Set(retryable.map(([, { status }]) => status))].sort()).toEqual([
      408, 409, 429, 500, 503,
    ]);
    const refused = retryable.filter(([, { status }]) => status === 409).map(([code]) => code);
    expect(refused).toEqual(['node_offline']); // It may come back by itself.

    expect(Object.values(PROBLEMS).filter(({ status }) => status === 500)).toHaveLength(1);
  });

  it('shows the code of a newer service as a conflict, or as worth another attempt; never as a 500', () => {
    const ofNewer = (retryable: boolean) =>
      shownOf(new ServiceRefusal('not_yet_invented', 'what it says', retryable, undefined), 'r-1')
        .problem;
    expect(ofNewer(false)).toMatchObject({ status: 409, code: 'not_yet_invented' });
    expect(ofNewer(true)).toMatchObject({ status: 503, retryable: true });
  });

  it('carries the request id, the fields and the challenge, and nothing of the cause', () => {
    const refusal = new Refusal('unauthenticated', 'who are you', {
      errors: [{ path: 'a', problem: 'b' }],
      headers: { 'www-authenticate': 'Bearer' },
      cause: new Error('the password is 12345'),
    });
    expect(shownOf(refusal, 'r-1')).toEqual({
      headers: { 'www-authenticate': 'Bearer' },
      problem: {
        type: 'urn:holdfast:problem:unauthenticated',
        title: 'The token is missing or not valid',
        status: 401,
        code: 'unauthenticated',
        detail: 'who are you',
        retryable: false,
        requestId: 'r-1',
        errors: [{ path: 'a', problem: 'b' }],
      },
    });
  });

  it('challenges whoever a service does not know', () => {
    const refusal = new ServiceRefusal('unauthenticated', 'no', false, undefined);
    expect(shownOf(refusal, 'r-1').headers).toEqual({
      'www-authenticate': 'Bearer realm="holdfast"',
    });
  });

  it('shows of the details of a refusal only which fields are wrong', () => {
    const shown = ServiceRefusal.of({
      code: 'invalid_request',
      message: 'no',
      retryable: false,
      details: { errors: [{ path: 'a', problem: 'b', secret: 'x' }, 'y'], secret: 'z' },
    });
    expect(shown.errors).toEqual([{ path: 'a', problem: 'b' }]);
    expect(
      ServiceRefusal.of({ code: 'x', message: '', retryable: false, details: { secret: 1 } })
        .errors,
    ).toBe(undefined);
  });
});

describe('the bearer token of a request', () => {
  it.each([
    ['Bearer abc.DEF-123_~+/==', 'abc.DEF-123_~+/=='],
    ['bearer abc', 'abc'],
  ])('is read from %j', (header, token) => expect(tokenOf(header)).toBe(token));

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    'abc',
    'Bearer a b',
    'Bearer a\r\nx: y',
    'Bearer ä',
    `Bearer ${'x'.repeat(513)}`,
  ])('is missing from %j', (header) => {
    expect(() => tokenOf(header)).toThrow(Refusal);
  });
});

describe('a body', () => {
  const parse = (text: string | Uint8Array, type = 'application/json') =>
    parseJsonBody(type, Buffer.from(text as string));
  const codeOf = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof Refusal || error instanceof RuleViolation) return error.code;
      throw error;
    }
    return 'accepted';
  };

  it('is JSON in UTF-8', () => expect(parse('{"a":"ä"}')).toEqual({ a: 'ä' }));

  it('may say that it is UTF-8', () =>
    expect(parse('{}', 'application/json; charset="UTF-8"')).toEqual({}));

  it.each([
    ['malformed_json', '{'],
    ['malformed_json', ''],
    ['malformed_json', '\ufeff{}'],
    ['malformed_json', Uint8Array.of(0x22, 0xff, 0x22)],
    ['malformed_json', '['.repeat(33) + ']'.repeat(33)],
    ['accepted', '['.repeat(32) + ']'.repeat(32)],
    ['accepted', JSON.stringify('['.repeat(1_000))],
  ])('is %s: %j', (code, text) => expect(codeOf(() => parse(text))).toBe(code));

  it('in another charset is refused', () =>
    expect(codeOf(() => parse('{}', 'application/json; charset=latin1'))).toBe(
      'unsupported_media_type',
    ));
});

describe('what travels with a request', () => {
  const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  it('is what the caller sent, where it is fit to be repeated', () => {
    expect(requestIdOf({ 'x-request-id': 'my.req:1' })).toBe('my.req:1');
    expect(traceparentOf({ traceparent: trace })).toBe(trace);
  });

  it.each([undefined, '', 'a b', 'x'.repeat(129), 'a\r\nb', 'ä'])(
    'is a new request id instead of %j',
    (given) => {
      const headers = given === undefined ? {} : { 'x-request-id': given };
      expect(requestIdOf(headers)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it.each([undefined, 'x', trace.toUpperCase(), `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`])(
    'is no trace instead of %j',
    (given) =>
      expect(traceparentOf(given === undefined ? {} : { traceparent: given })).toBeUndefined(),
  );
});

describe('the table of routes', () => {
  const routes = new RouteTable();
  routes.add('GET', '/v1/runs');
  routes.add(['GET', 'POST'], '/v1/runs/:id/output');

  it.each([
    ['/v1/runs', ['GET']],
    ['/v1/runs/1/output', ['GET', 'POST']],
    ['/v1/runs//output', []],
    ['/v1/runs/1', []],
    ['/v1/runs/', []],
  ])('knows which methods %s takes', (path, methods) =>
    expect(routes.methodsAt(path)).toEqual(methods),
  );
});
