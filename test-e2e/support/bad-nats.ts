import { BAD_UTF8, GOOD, NOBODY, as, deep, stopOf, type BadNats } from './bad-requests.js';

/** A request that is refused. */
const to =
  (subject: string) =>
  (what: string, code: string, body: unknown, more: Partial<BadNats> = {}): BadNats => ({
    what,
    subject,
    code,
    body,
    ...more,
  });
const bytes = (text: string): Uint8Array => Buffer.from(text);

const submit = to('hf.cmd.runs.submit');
const stop = to('hf.cmd.stops.request');
const SUBMISSIONS: readonly BadNats[] = [
  submit('no bytes', 'malformed_json', bytes('')),
  submit('half of a JSON text', 'malformed_json', bytes('{"agent":')),
  submit('bytes that are not UTF-8', 'malformed_json', BAD_UTF8),
  submit('33 levels', 'malformed_json', bytes(deep(33))),
  submit('100,000 levels', 'malformed_json', bytes(deep(100_000))),
  submit('513 KiB', 'payload_too_large', bytes('x'.repeat(513 * 1024))),
  submit('no token', 'unauthenticated', GOOD, as.nobody),
  submit('a wrong token', 'unauthenticated', GOOD, as.fake),
  submit('a viewer’s token', 'forbidden', GOOD, as.viewer),
  submit('no key', 'idempotency_key_required', GOOD, { key: null }),
  submit('a key of 256 characters', 'invalid_idempotency_key', GOOD, { key: 'k'.repeat(256) }),
  submit('a list', 'invalid_request', [GOOD]),
  submit('null', 'invalid_request', null),
  submit('an unknown field', 'invalid_request', { ...GOOD, x: 1 }),
  submit('a number for a prompt', 'invalid_request', { ...GOOD, prompt: 1 }),
  submit('U+0000', 'invalid_request', { ...GOOD, prompt: '\0' }),
  submit('too much prompt', 'prompt_too_large', { ...GOOD, prompt: 'x'.repeat(257 * 1024) }),
  submit('an agent that is not there', 'agent_not_found', { ...GOOD, agent: 'nobody' }),
];

const OTHER_COMMANDS: readonly BadNats[] = [
  stop('a run that is not there', 'run_not_found', stopOf(NOBODY)),
  stop('everything', 'invalid_request', stopOf('*')),
  to('hf.cmd.runs.resolve')('no run', 'invalid_request', { as: 'failed', note: 'x' }),
  to('hf.cmd.access.issue-token')(
    'an agent’s token',
    'forbidden',
    { principal: 'user:eve', role: 'operator' },
    as.agent,
  ),
  to('hf.cmd.access.revoke-token')('nothing', 'invalid_request', {}),
];

const list = to('hf.qry.runs.list');
const get = to('hf.qry.runs.get');
const READS: readonly BadNats[] = [
  list('no token', 'unauthenticated', {}, as.nobody),
  list('a negative limit', 'invalid_request', { limit: -1 }),
  list('a limit of 1.5', 'invalid_request', { limit: 1.5 }),
  list('an unknown field', 'invalid_request', { order: 'desc' }),
  list('a cursor that was made up', 'invalid_request', { cursor: 'bm90IGEgY3Vyc29y' }),
  get('a text', 'invalid_request', 'x'),
  get(
    'a foreign run',
    'run_not_found',
    ({ runId }: { runId: string }) => ({ id: runId }),
    as.stranger,
  ),
  to('hf.qry.nodes.list')('half of a JSON text', 'malformed_json', bytes('{')),
  to('hf.qry.changes.list')('a position before the first', 'invalid_request', { after: -1 }),
  to('hf.qry.projections.list')('an unknown field', 'invalid_request', { name: 'runs' }),
  to('hf.qry.access.identify')('a list', 'invalid_request', []),
];

const join = to('hf.cmd.nodes.join.main.n1');
const report = to('hf.cmd.runs.report.main.n1');
const joining = {
  journalId: 'j',
  incarnation: 'i',
  name: 'n1',
  capabilities: [],
  capacity: 1,
  maxRuns: 1,
  agents: [],
};
const NODES: readonly BadNats[] = [
  join('nothing', 'invalid_request', {}),
  join('a negative capacity', 'invalid_request', { ...joining, capacity: -1 }),
  join('a journal with a dot', 'invalid_request', { ...joining, journalId: 'a.b' }),
  join('an agent that is null', 'invalid_request', { ...joining, agents: [null] }),
  to('hf.cmd.runs.claim.main.n1')('nothing', 'invalid_request', {}),
  report('half of a JSON text', 'malformed_json', bytes('{"reports":[')),
  report('a number', 'invalid_request', 5),
  to('hf.cmd.runs.advance')('nothing', 'invalid_request', {}),
  to('hf.cmd.sessions.advance')('a byte', 'malformed_json', bytes('\0')),
];

export const BAD_NATS: readonly BadNats[] = [...SUBMISSIONS, ...OTHER_COMMANDS, ...READS, ...NODES];
