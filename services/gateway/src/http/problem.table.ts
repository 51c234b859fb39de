import type { ErrorCode } from '#contracts';

/** How a refusal is shown over HTTP. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The same request, with the same key, may succeed later. */
  readonly retryable: boolean;
}

const kind = (status: number, title: string, retryable = false): ProblemKind => ({
  status,
  title,
  retryable,
});

/** Codes that only this door gives. */
const OF_THE_GATEWAY = {
  malformed_http: kind(400, 'The request is not HTTP'),
  route_not_found: kind(404, 'There is no such route'),
  method_not_allowed: kind(405, 'The route does not take this method'),
  request_timeout: kind(408, 'The request took too long to arrive', true),
  body_too_large: kind(413, 'The body is too large'),
  uri_too_long: kind(414, 'The address is too long'),
  unsupported_media_type: kind(415, 'The body must be JSON'),
  too_many_streams: kind(429, 'Too many streams are open', true),
  headers_too_large: kind(431, 'The headers are too large'),
  service_unavailable: kind(503, 'The service can not be reached', true),
  no_answer: kind(503, 'The answer was lost', true),
  shutting_down: kind(503, 'This gateway is shutting down', true),
} as const satisfies Readonly<Record<string, ProblemKind>>;

/** Codes of the services behind. A new one does not compile until it has its status here. */
const OF_THE_SERVICES: Readonly<Record<ErrorCode, ProblemKind>> = {
  invalid_request: kind(400, 'The request is not valid'),
  malformed_json: kind(400, 'The body is not JSON'),
  idempotency_key_required: kind(400, 'The Idempotency-Key header is missing'),
  invalid_idempotency_key: kind(400, 'The Idempotency-Key header is not valid'),
  unauthenticated: kind(401, 'The token is missing or not valid'),
  forbidden: kind(403, 'The caller may not do this'),
  agent_not_found: kind(404, 'There is no such agent'),
  session_not_found: kind(404, 'There is no such session'),
  run_not_found: kind(404, 'There is no such run'),
  stop_not_found: kind(404, 'There is no such stop'),
  node_not_found: kind(404, 'There is no such node'),
  credential_not_found: kind(404, 'There is no such token'),
  idempotency_conflict: kind(409, 'The key was used with another request'),
  session_agent_mismatch: kind(409, 'The session belongs to another agent'),
  run_not_unknown: kind(409, 'The outcome of the run is not unknown'),
  run_stop_recorded: kind(409, 'A stop of the run was accepted before'),
  credential_revoked: kind(409, 'The token was revoked'),
  strict_contract_route_only: kind(400, 'A strict spawn has a route of its own'),
  agent_token_required: kind(403, 'Only an agent may do this'),
  invocation_not_found: kind(404, 'There is no call under this key'),
  node_target_mismatch: kind(409, 'The node has another name'),
  node_capability_missing: kind(409, 'The node does not offer it'),
  node_offline: kind(409, 'The node is not there', true),
  node_not_ready: kind(503, 'The node is not ready', true),
  idempotency_unavailable: kind(503, 'The first call has not ended yet', true),
  spawn_not_found: kind(404, 'There is no such spawn'),
  spawn_not_unknown: kind(409, 'The outcome of the spawn is not unknown'),
  spawn_agent_not_seen: kind(409, 'The agent was not seen alive'),
  spawn_has_no_agent: kind(409, 'The spawn has no agent'),
  payload_too_large: kind(413, 'The body is too large'),
  prompt_too_large: kind(413, 'The prompt is too large'),
  session_queue_full: kind(429, 'Too many runs wait in the session', true),
  internal: kind(500, 'Something went wrong in here', true),
  contended: kind(503, 'Others changed it at the same time', true),
  unavailable: kind(503, 'What is needed can not be reached', true),
  overloaded: kind(503, 'Too many requests at once', true),
};

/** The spawn, or its slot, has moved on since whoever asks has looked: to be looked at again. */
const movedOn = kind(409, 'The spawn has moved on');

/** Codes of spawns and slots that a caller is told only when somebody was faster. */
const OF_SPAWNS: Readonly<Record<string, ProblemKind>> = {
  node_full: kind(409, 'The node has no free slot'),
  'slot.not_reserved': movedOn,
  'slot.other_round_open': movedOn,
  'slot.round_fenced': movedOn,
  'slot.too_late': movedOn,
  'spawn.claim_of_older_epoch': movedOn,
  'spawn.claim_refused': movedOn,
  'spawn.foreign_node': kind(409, 'The spawn is for another node'),
  'spawn.invalid_contract': kind(409, 'What is stored is no strict spawn'),
  'spawn.maybe_claimed_before_restore': movedOn,
  'spawn.no_slot': movedOn,
  'spawn.not_dispatchable': movedOn,
  'spawn.not_placeable': movedOn,
  'spawn.not_releasable': movedOn,
  'spawn.not_revocable': movedOn,
  'spawn.older_epoch': movedOn,
  'spawn.other_node': kind(409, 'The spawn is for another node'),
  'spawn.strict_without_node': kind(400, 'A strict spawn names its node'),
};

/** The one place where codes become HTTP statuses. */
export const PROBLEMS: Readonly<Record<string, ProblemKind>> = {
  ...OF_THE_SERVICES,
  ...OF_SPAWNS,
  ...OF_THE_GATEWAY,
};

export type GatewayCode = keyof typeof OF_THE_GATEWAY | ErrorCode;

/** A code of a service that this gateway is older than: a conflict, or worth another attempt. Never a 500. */
export const UNKNOWN_CODE = {
  refused: kind(409, 'The request was refused'),
  retryable: kind(503, 'The service could not do it now', true),
} as const;
