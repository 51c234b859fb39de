import { BAD_UTF8, GOOD, NOBODY, as, deep, type BadHttp, type Setting } from './bad-requests.js';

/** A submission that is refused. */
const row = (
  what: string,
  [status, code]: readonly [number, string],
  more: Partial<BadHttp>,
): BadHttp => ({
  what: `a submission ${what}`,
  method: 'POST',
  path: '/v1/submissions',
  body: GOOD,
  status,
  code,
  ...more,
});

const INVALID = [400, 'invalid_request'] as const;
const MALFORMED = [400, 'malformed_json'] as const;
const TOO_LARGE = [413, 'body_too_large'] as const;
const PROMPT_TOO_LARGE = [413, 'prompt_too_large'] as const;
const UNAUTHENTICATED = [401, 'unauthenticated'] as const;
const NO_JSON = [415, 'unsupported_media_type'] as const;
const BAD_KEY = [400, 'invalid_idempotency_key'] as const;
const NO_KEY = [400, 'idempotency_key_required'] as const;
const given = (fields: object): Partial<BadHttp> => ({ body: { ...GOOD, ...fields } });

const BODIES: readonly BadHttp[] = [
  row('with a number for a prompt', INVALID, given({ prompt: 7 })),
  row('with a list for a prompt', INVALID, given({ prompt: ['x'] })),
  row('with an object for an agent', INVALID, given({ agent: { name: 'ledger' } })),
  row('with true for an agent', INVALID, given({ agent: true })),
  row('with null for a session', INVALID, given({ session: null })),
  row('with a session that is no UUID', INVALID, given({ session: '../../etc' })),
  row('with a session in upper case', INVALID, given({ session: NOBODY.replace('9', 'A') })),
  row('with an unknown field', INVALID, given({ priority: 'high' })),
  row('with a field of another spelling', INVALID, given({ Prompt: 'x' })),
  row('with nothing in it', INVALID, { body: {} }),
  row('with an empty prompt', INVALID, given({ prompt: '' })),
  row('with an empty agent', INVALID, given({ agent: '' })),
  row('with an agent with a dot', INVALID, given({ agent: 'a.b' })),
  row('with a wildcard for an agent', INVALID, given({ agent: '>' })),
  row('with an agent of 65 characters', INVALID, given({ agent: 'a'.repeat(65) })),
  row('with U+0000 in the prompt', INVALID, given({ prompt: 'a\0b' })),
  row('with half a surrogate pair', INVALID, { body: '{"agent":"ledger","prompt":"\\udc00"}' }),
  row('with __proto__', INVALID, {
    body: '{"agent":"ledger","prompt":"x","__proto__":{"admin":true}}',
  }),
  row('with constructor', INVALID, { body: '{"agent":"ledger","prompt":"x","constructor":{}}' }),
  row('that is a list', INVALID, { body: [GOOD] }),
  row('that is a text', INVALID, { body: '"run it"' }),
  row('that is null', INVALID, { body: 'null' }),
  row('of 9 levels', INVALID, given({ session: JSON.parse(deep(9)) as unknown })),
  row('of 33 levels', MALFORMED, { body: deep(33) }),
  row('of 100,000 levels', MALFORMED, { body: deep(100_000) }),
  row('that is cut off', MALFORMED, { body: '{"agent":"ledger"' }),
  row('that is two JSON texts', MALFORMED, { body: '{}{}' }),
  row('with a comment', MALFORMED, { body: '{} // x' }),
  row('without a body', MALFORMED, { body: '' }),
  row('with a byte order mark', MALFORMED, { body: '\ufeff{}' }),
  row('that is not UTF-8', MALFORMED, { body: BAD_UTF8 }),
  row('with NaN', MALFORMED, { body: '{"agent":"ledger","prompt":NaN}' }),
  row('with 257 KiB of prompt', PROMPT_TOO_LARGE, given({ prompt: 'x'.repeat(257 * 1024) })),
  row(
    'with more prompt than an argument can hold',
    PROMPT_TOO_LARGE,
    given({ prompt: 'x'.repeat(129 * 1024) }),
  ),
  row('of 513 KiB', TOO_LARGE, { body: 'x'.repeat(513 * 1024) }),
  row('of 8 MiB', TOO_LARGE, { body: 'x'.repeat(8 * 1024 * 1024) }),
  row('to an agent that is not there', [404, 'agent_not_found'], given({ agent: 'nobody' })),
  row('in a session that is not there', [404, 'session_not_found'], given({ session: NOBODY })),
  row('in the session of another agent', [409, 'session_agent_mismatch'], {
    body: ({ runId }: Setting) => ({ agent: 'turns', prompt: 'x', session: runId }),
  }),
];

const HEADERS: readonly BadHttp[] = [
  row('with a key that was used for another one', [409, 'idempotency_conflict'], {
    key: ({ key }) => key,
    body: { ...GOOD, prompt: 'say:something else' },
  }),
  row('without a key', NO_KEY, { key: null }),
  row('with an empty key', NO_KEY, { key: '' }),
  row('with a key of 256 characters', BAD_KEY, { key: 'k'.repeat(256) }),
  row('with a control character in its key', BAD_KEY, { key: 'a\tb' }),
  row('without a type', NO_JSON, { type: null }),
  row('as a form', NO_JSON, { type: 'application/x-www-form-urlencoded' }),
  row('as text', NO_JSON, { type: 'text/plain' }),
  row('in UTF-16', NO_JSON, { type: 'application/json; charset=utf-16' }),
  row('without a token', UNAUTHENTICATED, as.nobody),
  row('with a token that nobody issued', UNAUTHENTICATED, as.fake),
  row('with a token of 600 characters', UNAUTHENTICATED, { token: 'x'.repeat(600) }),
  row('with a password', UNAUTHENTICATED, {
    token: null,
    headers: { authorization: 'Basic YTpi' },
  }),
  row('of a viewer', [403, 'forbidden'], as.viewer),
  row('to an agent of another workspace', [404, 'agent_not_found'], as.stranger),
];

export const BAD_SUBMISSIONS: readonly BadHttp[] = [...BODIES, ...HEADERS];
