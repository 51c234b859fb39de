import { NOBODY, as, stopOf, type BadHttp, type Setting } from './bad-requests.js';

const INVALID = [400, 'invalid_request'] as const;
const FORBIDDEN = [403, 'forbidden'] as const;
const NO_RUN = [404, 'run_not_found'] as const;
type Kind = readonly [number, string];

/** A command that is refused. */
const command =
  (path: BadHttp['path']) =>
  (what: string, [status, code]: Kind, body: unknown, more: Partial<BadHttp> = {}): BadHttp => ({
    what,
    method: 'POST',
    path,
    body,
    status,
    code,
    ...more,
  });
const stop = command('/v1/stops');
const resolution = command(({ runId }) => `/v1/runs/${runId}/resolution`);
const token = command('/v1/tokens');
const revocation = command('/v1/tokens/revoke');
const target = (of: unknown): object => ({ target: of, reason: 'x' });
const theRun = ({ runId }: Setting): object => stopOf(runId);
const failed = { as: 'failed', note: 'x' };

const COMMANDS: readonly BadHttp[] = [
  stop('a stop of nothing', INVALID, {}),
  stop('a stop of a kind that there is not', INVALID, target({ kind: 'world', id: NOBODY })),
  stop('a stop whose target is a list', INVALID, target([])),
  stop('a stop whose target is null', INVALID, target(null)),
  stop('a stop with a field too many', INVALID, target({ kind: 'run', id: NOBODY, force: true })),
  stop('a stop without a reason', INVALID, stopOf(NOBODY, '')),
  stop('a stop with 1,001 characters of reason', INVALID, stopOf(NOBODY, 'x'.repeat(1_001))),
  stop('a stop of a run that is not there', NO_RUN, stopOf(NOBODY)),
  stop('a stop of a run of another workspace', NO_RUN, theRun, as.stranger),
  stop('a stop of a viewer', FORBIDDEN, theRun, as.viewer),
  resolution('a resolution of what is known', [409, 'run_not_unknown'], failed),
  resolution('a resolution as something else', INVALID, { ...failed, as: 'running' }),
  resolution('a resolution without a note', INVALID, { as: 'failed' }),
  resolution('a resolution that names another run', INVALID, { ...failed, runId: NOBODY }),
  resolution('a resolution of no UUID', INVALID, failed, { path: '/v1/runs/1/resolution' }),
  resolution('a resolution of nothing', NO_RUN, failed, {
    path: `/v1/runs/${NOBODY}/resolution`,
  }),
  resolution('a resolution of an agent', FORBIDDEN, failed, as.agent),
  token('a token of a role that there is not', INVALID, { principal: 'user:eve', role: 'root' }),
  token('a token of a nameless principal', INVALID, { principal: '', role: 'viewer' }),
  token('a token of the system’s own workspace', INVALID, {
    principal: 'user:eve',
    role: 'viewer',
    workspace: '_',
  }),
  token('a token that an agent issues', FORBIDDEN, { principal: 'a', role: 'operator' }, as.agent),
  token(
    'a token for a workspace that is not one’s own',
    FORBIDDEN,
    { principal: 'user:eve', role: 'operator', workspace: 'main' },
    as.stranger,
  ),
  revocation('a revocation of nothing', [404, 'credential_not_found'], {
    tokenHash: 'a'.repeat(64),
  }),
  revocation('a revocation by the token itself', INVALID, { tokenHash: 'hf_secret' }),
];

/** A read that is refused. */
const read = (
  what: string,
  path: BadHttp['path'],
  [status, code]: Kind = INVALID,
  more: Partial<BadHttp> = {},
): BadHttp => ({ what, path, status, code, ...more });
const UNAUTHENTICATED = [401, 'unauthenticated'] as const;

const READS: readonly BadHttp[] = [
  read('a limit of 0', '/v1/runs?limit=0'),
  read('a negative limit', '/v1/runs?limit=-5'),
  read('a limit of 201', '/v1/runs?limit=201'),
  read('a limit that is no number', '/v1/runs?limit=many'),
  read('a limit of 1e400', '/v1/runs?limit=1e400'),
  read('two limits', '/v1/runs?limit=1&limit=2'),
  read('a status that there is not', '/v1/runs?status=sleeping'),
  read('a month that there is not', '/v1/runs?since=2026-13-01T00:00:00Z'),
  read('a day that there is not', '/v1/runs?since=2026-02-31T00:00:00Z'),
  read('a cursor that was made up', '/v1/runs?cursor=bm90IGEgY3Vyc29y'),
  read('a cursor with a quote', "/v1/runs?cursor=';DROP%20TABLE"),
  read('an unknown parameter', '/v1/runs?order=desc'),
  read('a parameter called __proto__', '/v1/runs?__proto__=1'),
  read('a negative position', ({ runId }) => `/v1/runs/${runId}/output?after=-1`),
  read('a position that is too large', ({ runId }) => `/v1/runs/${runId}/output?after=1e30`),
  read('a run that is no UUID', '/v1/runs/1'),
  read('a run with a wildcard', '/v1/runs/*'),
  read('a run with half an escape', '/v1/runs/%zz'),
  read('a run that is not there', `/v1/runs/${NOBODY}`, NO_RUN),
  read('a timeline of nothing', `/v1/runs/${NOBODY}/timeline`, NO_RUN),
  read('an output of nothing', `/v1/runs/${NOBODY}/output`, NO_RUN),
  read('a session that is not there', `/v1/sessions/${NOBODY}`, [404, 'session_not_found']),
  read('a stop that is not there', `/v1/stops/${NOBODY}`, [404, 'stop_not_found']),
  read('a node that is not there', '/v1/nodes/nowhere', [404, 'node_not_found']),
  read('a node with a dot', '/v1/nodes/a.b'),
  read('an agent that is not there', '/v1/agents/nobody', [404, 'agent_not_found']),
  read('a foreign run', ({ runId }) => `/v1/runs/${runId}`, NO_RUN, as.stranger),
  read('a foreign timeline', ({ runId }) => `/v1/runs/${runId}/timeline`, NO_RUN, as.stranger),
  read('a foreign output', ({ runId }) => `/v1/runs/${runId}/output`, NO_RUN, as.stranger),
  read('a foreign node', '/v1/nodes/n1', [404, 'node_not_found'], as.stranger),
  read('runs without a token', '/v1/runs', UNAUTHENTICATED, as.nobody),
  read('runs with a wrong token', '/v1/runs', UNAUTHENTICATED, as.fake),
  read('changes with a wrong token', '/v1/changes', UNAUTHENTICATED, as.fake),
  read('changes after something else', '/v1/changes', INVALID, {
    headers: { 'last-event-id': 'yesterday' },
  }),
  read('a route that is not there', '/v1/nothing', [404, 'route_not_found']),
  read('a method that is not there', '/v1/runs', [405, 'method_not_allowed'], {
    method: 'DELETE',
  }),
];

export const BAD_COMMANDS_AND_READS: readonly BadHttp[] = [...COMMANDS, ...READS];
