import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import {
  PROMPT_BYTES_MAX,
  ResolveRunRequest,
  RunListQuery,
  StopRequestBody,
  SubmissionRequest,
  TokenRequest,
  JoinBody,
  codeOf,
  isIdempotencyKey,
  validate,
  validateReport,
} from './index.js';

const runId = '0190b5a4-7f2c-5d3e-9a1b-0c2d3e4f5a6b';
const submission = { agent: 'echo', prompt: 'Hello' };

/** What it holds, without its class. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** The rules that a request breaks, by path. */
const broken = (requestClass: new () => object, raw: unknown): readonly string[] => {
  const validated = validate(requestClass, raw);
  return validated.ok ? [] : validated.problems.map(({ path, rule }) => `${path}:${rule}`);
};

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

describe('a submission', () => {
  it('is taken as it was sent', () => {
    const validated = validate(SubmissionRequest, { ...submission, session: runId });
    expect(validated.ok && plain(validated.value)).toEqual({ ...submission, session: runId });
  });

  it.each<[string, unknown, readonly string[]]>([
    ['null', null, [':isObject']],
    ['a list', [submission], [':isObject']],
    ['a text', 'run it', [':isObject']],
    ['nothing', {}, ['agent:matches', 'prompt:utf8Text']],
    ['an agent that is a number', { ...submission, agent: 7 }, ['agent:matches']],
    ['an agent with a dot', { ...submission, agent: 'a.b' }, ['agent:matches']],
    ['an agent of 65 characters', { ...submission, agent: 'a'.repeat(65) }, ['agent:matches']],
    ['an empty prompt', { ...submission, prompt: '' }, ['prompt:utf8Text']],
    ['a prompt that is an object', { ...submission, prompt: { text: 'x' } }, ['prompt:utf8Text']],
    ['a prompt with half a character', { ...submission, prompt: 'a\ud800' }, ['prompt:utf8Text']],
    ['a prompt with U+0000', { ...submission, prompt: 'a\0b' }, ['prompt:utf8Text']],
    ['a session that is null', { ...submission, session: null }, ['session:matches']],
    ['a session in capitals', { ...submission, session: runId.toUpperCase() }, ['session:matches']],
    ['an unknown field', { ...submission, node: 'n1' }, ['node:whitelistValidation']],
    ['a forbidden field', JSON.parse('{"__proto__": {}}'), [':whitelistValidation']],
    ['deep JSON', { ...submission, deep: nested(9) }, [':maxDepth']],
    ['very deep JSON', { ...submission, deep: nested(100_000) }, [':maxDepth']],
  ])('with %s is refused', (_what, raw, problems) => {
    expect(broken(SubmissionRequest, raw)).toEqual(problems);
  });

  it('counts its prompt in bytes of UTF-8, not in characters', () => {
    const prompt = 'ä'.repeat(PROMPT_BYTES_MAX / 2);
    expect(broken(SubmissionRequest, { agent: 'echo', prompt })).toEqual([]);
    const validated = validate(SubmissionRequest, { agent: 'echo', prompt: `${prompt}x` });
    expect(validated.ok ? 'ok' : codeOf(validated.problems)).toBe('prompt_too_large');
  });

  it('reports all problems together, without what was sent', () => {
    const validated = validate(SubmissionRequest, { agent: 'secret value', prompt: 3, extra: 1 });
    expect(validated).toEqual({
      ok: false,
      problems: [
        { path: 'extra', problem: 'property extra should not exist', rule: 'whitelistValidation' },
        {
          path: 'agent',
          problem: 'agent must match /^[A-Za-z0-9_-]{1,64}$/ regular expression',
          rule: 'matches',
        },
        {
          path: 'prompt',
          problem: 'prompt must be a text of at least 1 character, without U+0000',
          rule: 'utf8Text',
        },
      ],
    });
  });
});

describe('other requests of clients', () => {
  it.each<[string, new () => object, unknown, readonly string[]]>([
    ['a stop', StopRequestBody, { target: { kind: 'run', id: runId }, reason: 'why' }, []],
    ['a stop of nothing', StopRequestBody, { reason: 'why' }, ['target:isObject']],
    ['a stop of a list', StopRequestBody, { target: [], reason: 'why' }, ['target:isObject']],
    [
      'a stop of a kind that is not known',
      StopRequestBody,
      { target: { kind: 'planet', id: runId }, reason: 'why' },
      ['target.kind:isIn'],
    ],
    [
      'a stop with an unknown field inside',
      StopRequestBody,
      { target: { kind: 'run', id: runId, force: true }, reason: 'why' },
      ['target.force:whitelistValidation'],
    ],
    [
      'a stop without a reason',
      StopRequestBody,
      { target: { kind: 'run', id: runId }, reason: '' },
      ['reason:isLength'],
    ],
    ['a resolution', ResolveRunRequest, { runId, as: 'failed', note: 'seen in the log' }, []],
    [
      'a resolution as stopped',
      ResolveRunRequest,
      { runId, as: 'stopped', note: 'x' },
      ['as:isIn'],
    ],
    ['a token', TokenRequest, { principal: 'user:ada', role: 'viewer' }, []],
    ['a token for a god', TokenRequest, { principal: 'user:ada', role: 'god' }, ['role:isIn']],
    [
      'a token for the system workspace',
      TokenRequest,
      { principal: 'user:ada', role: 'viewer', workspace: '_' },
      ['workspace:matches'],
    ],
  ])('%s', (_what, requestClass, raw, problems) => {
    expect(broken(requestClass, raw)).toEqual(problems);
  });
});

describe('a list query', () => {
  it('reads numbers and lists out of a query string', () => {
    const validated = validate(RunListQuery, { limit: '20', status: 'queued,running' });
    expect(validated.ok && plain(validated.value)).toEqual({
      limit: 20,
      status: ['queued', 'running'],
    });
  });

  it.each<[string, unknown, readonly string[]]>([
    ['limit 0', { limit: '0' }, ['limit:wholeNumber']],
    ['limit -1', { limit: -1 }, ['limit:wholeNumber']],
    ['limit 201', { limit: '201' }, ['limit:wholeNumber']],
    ['limit 1e3', { limit: '1e3' }, ['limit:wholeNumber']],
    ['two limits', { limit: ['1', '2'] }, ['limit:wholeNumber']],
    ['an unknown status', { status: 'sleeping' }, ['status:isIn']],
    ['a date without a time', { since: '2026-01-01' }, ['since:moment']],
    ['a time without a zone', { since: '2026-01-01T00:00:00' }, ['since:moment']],
    ['a day that there is not', { since: '2026-02-30T00:00:00Z' }, ['since:moment']],
    ['a cursor of another make', { cursor: 'a b' }, ['cursor:matches']],
  ])('with %s is refused', (_what, raw, problems) => {
    expect(broken(RunListQuery, raw)).toEqual(problems);
  });
});

describe('an idempotency key', () => {
  it.each([
    ['k', true],
    ['a key with spaces', true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['', false],
    [' padded', false],
    ['padded ', false],
    ['new\nline', false],
    ['ümlaut', false],
    [undefined, false],
    [42, false],
  ])('%p: %p', (key, allowed) => {
    expect(isIdempotencyKey(key)).toBe(allowed);
  });
});

describe('what nodes send', () => {
  const claim = { runId, generation: 1, journalId: 'j1', incarnation: 'i1' };
  const report = { ...claim, journalSequence: 4 };
  const output = { bytes: 3, sha256: 'a'.repeat(64), truncated: false };
  const agent = {
    name: 'echo',
    runtime: 'cli',
    attempts: 'single',
    deduplicatesByKey: false,
    readBackByKey: false,
    interruptible: true,
    outlivesClient: false,
    promptBy: 'argument',
  };
  const join = {
    journalId: 'j1',
    incarnation: 'i1',
    name: 'my node',
    capabilities: ['gpu'],
    capacity: 4,
    maxRuns: 16,
    agents: [agent],
  };
  const brokenReport = (raw: unknown): readonly string[] => {
    const validated = validateReport(raw);
    return validated.ok ? [] : validated.problems.map(({ path, rule }) => `${path}:${rule}`);
  };

  it('a report of an end is taken as it was sent', () => {
    const sent = {
      ...report,
      kind: 'ended',
      end: { how: 'killed', by: 'stop', remains: [] },
      output,
      receipts: { sent: 5 },
    };
    const validated = validateReport(sent);
    expect(validated.ok && plain(validated.value)).toEqual(sent);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['of no kind', report, ['kind:isIn']],
    ['of an unknown kind', { ...report, kind: 'rumour' }, ['kind:isIn']],
    ['of an inherited kind', { ...report, kind: 'toString' }, ['kind:isIn']],
    [
      'that ended in no known way',
      { ...report, kind: 'ended', end: { how: 'vanished' }, output, receipts: {} },
      ['end.how:isIn'],
    ],
    [
      'that completed without an exit code',
      { ...report, kind: 'ended', end: { how: 'completed' }, output, receipts: {} },
      ['end.exitCode:wholeNumber'],
    ],
    [
      'with a foreign field in its end',
      {
        ...report,
        kind: 'ended',
        end: { how: 'completed', exitCode: 0, code: 'x' },
        output,
        receipts: {},
      },
      ['end.code:whitelistValidation'],
    ],
    [
      'with a time that is no number',
      { ...report, kind: 'receipts', receipts: { sent: '5' } },
      ['receipts.sent:wholeNumber'],
    ],
    [
      'of generation 0',
      { ...report, generation: 0, kind: 'running', evidence: 'pid 5' },
      ['generation:wholeNumber'],
    ],
  ])('a report %s is refused', (_what, raw, problems) => {
    expect(brokenReport(raw)).toEqual(problems);
  });

  it('a join is taken', () => {
    expect(broken(JoinBody, join)).toEqual([]);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['one agent twice', { ...join, agents: [agent, agent] }, ['agents:arrayUnique']],
    [
      'an agent that is called like a spawn',
      { ...join, agents: [{ ...agent, name: '59b4f772-fd43-5022-a20f-33d5f5776e63' }] },
      ['agents.0.name:matches'],
    ],
    ['an agent that is null', { ...join, agents: [null] }, ['agents:isObject']],
    ['capacity below zero', { ...join, capacity: -1 }, ['capacity:wholeNumber']],
    ['a capability with a space', { ...join, capabilities: ['a b'] }, ['capabilities:matches']],
    [
      'an agent whose runtime is missing',
      { ...join, agents: [{ ...agent, runtime: undefined }] },
      ['agents.0.runtime:matches'],
    ],
  ])('a join with %s is refused', (_what, raw, problems) => {
    expect(broken(JoinBody, raw)).toEqual(problems);
  });
});
