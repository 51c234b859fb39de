import type { StrictSpawnView } from '#contracts';
import type { Step } from '#kernel';
import { callerStatusOf } from '../contract/index.js';
import { isStrictClaim, type ExistingSpawn } from '../domain/index.js';

/** What a caller is told. From the dispatch on it is what was committed then, whatever became of its node since. */
export const strictSpawnView = (
  spawn: ExistingSpawn,
  next: Step<unknown> | null = null,
): StrictSpawnView => {
  const { spawnId, request, dispatch, workerCwd, failure } = spawn;
  const status = callerStatusOf(spawn.status);
  return {
    invocation_id: spawnId,
    status,
    handler_node_id: request.nodeId ?? '',
    handler_node_name: request.nodeName ?? '',
    dispatched_node_id: dispatch?.nodeId ?? null,
    dispatched_node_name: dispatch?.nodeName ?? null,
    dispatch_generation: dispatch?.generation ?? 0,
    dispatched_at: instantText(dispatch?.dispatchedAt),
    retry_after_at: instantText(dispatch?.retryAfterAt),
    worker_cwd: workerCwd,
    failure_code: failure?.code ?? null,
    waits_for: status === 'pending' ? waitsFor(next) : null,
    ...(isStrictClaim(spawn) && request.contract !== null
      ? { spawn_contract_applied: request.contract }
      : {}),
  };
};

const instantText = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();

const waitsFor = (next: Step<unknown> | null): string | null =>
  next !== null && 'waitsFor' in next ? next.waitsFor : null;
