import type { Answered } from './answered.js';
import type { CallerView, RunView, SubmissionView } from './views.js';

export type { Answered };

/** `hf.cmd.runs.submit` */
export type SubmissionAnswer = Answered<SubmissionView>;
/** `hf.cmd.stops.request` */
export type StopAnswer = Answered<{ readonly stopId: string }>;
/** `hf.cmd.runs.resolve` */
export type ResolutionAnswer = Answered<Pick<RunView, 'runId' | 'status'>>;
/** `hf.cmd.access.issue-token`. The token is told here and never again, except to a repeat of the same request. */
export type TokenAnswer = Answered<
  CallerView & { readonly token: string; readonly tokenHash: string }
>;
/** `hf.cmd.access.revoke-token` */
export type RevocationAnswer = Answered<{ readonly tokenHash: string }>;

/**
 * Every code that a client may be answered, whichever door it came through. Only the gateway knows what these are in
 * HTTP.
 */
export const ERROR_CODES = [
  /** No token, or none that is valid. */
  'unauthenticated',
  /** The role does not include it. */
  'forbidden',
  /** A field is missing, unknown, of the wrong type or out of bounds: `details.errors` says which. */
  'invalid_request',
  'idempotency_key_required',
  'invalid_idempotency_key',
  /** The key was used before for another request. Nothing was written. */
  'idempotency_conflict',
  'malformed_json',
  'payload_too_large',
  'prompt_too_large',
  'agent_not_found',
  'session_not_found',
  'session_agent_mismatch',
  'session_queue_full',
  'run_not_found',
  'run_not_unknown',
  'run_stop_recorded',
  'stop_not_found',
  'node_not_found',
  'credential_not_found',
  'credential_revoked',
  /** A strict spawn is asked for at a route that does not promise it. */
  'strict_contract_route_only',
  /** Only an agent's own token may do this. */
  'agent_token_required',
  'invocation_not_found',
  'node_target_mismatch',
  'node_capability_missing',
  /** Retryable: the node may come back. */
  'node_offline',
  /** Retryable: the node may become ready. */
  'node_not_ready',
  /** The first call under this key has not come to an end yet. Retryable, with the same key. */
  'idempotency_unavailable',
  'spawn_not_found',
  'spawn_not_unknown',
  'spawn_agent_not_seen',
  'spawn_has_no_agent',
  /** Others kept changing it. Retryable. */
  'contended',
  /** What is needed to decide can't be reached. Retryable. */
  'unavailable',
  /** Too many requests at once. Retryable. */
  'overloaded',
  /** A defect of this system. Retryable, with the same key. */
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];
