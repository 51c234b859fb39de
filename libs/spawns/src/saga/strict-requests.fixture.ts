import { SpawnReplayRequest, StrictInvokeRequest } from '#contracts/requests';
import { NotNow } from '#hosting';
import { RuleViolation } from '#kernel';
import { STRICT_SPAWN_CONTRACT } from '../contract/index.js';

/** What the nodes of a world offer. */
export const HARNESS = 'sample';

export const requestOf = (
  key: string,
  otherwise: Partial<StrictInvokeRequest> = {},
): StrictInvokeRequest =>
  Object.assign(new StrictInvokeRequest(), {
    spawn_contract: STRICT_SPAWN_CONTRACT,
    node_id: 'named',
    node_name: 'builder',
    agent_name: `agent-${key}`,
    harness: HARNESS,
    task: `work on ${key}`,
    ...otherwise,
  });
export const replayOf = (repeated: Partial<StrictInvokeRequest>): SpawnReplayRequest =>
  Object.assign(new SpawnReplayRequest(), { spawn_contract: STRICT_SPAWN_CONTRACT, ...repeated });

/** What refused a call. */
export const codeOf = (problem: unknown): string => {
  if (problem instanceof RuleViolation || problem instanceof NotNow) return problem.code;
  throw problem;
};
