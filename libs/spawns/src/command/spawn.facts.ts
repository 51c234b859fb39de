import type { SpawnReplayRequest, StrictInvokeRequest } from '#contracts/requests';
import type { SpawnRequestFacts } from '../domain/index.js';

/** What a caller's key is used for: one key names one spawn, strict or not. */
export const SPAWN_ACTION = 'spawn';

/** The facts of the request that are bound into the claim, beside who asks and under which key. */
export type BoundFacts = Pick<
  SpawnRequestFacts,
  | 'contract'
  | 'nodeId'
  | 'nodeName'
  | 'agentName'
  | 'harness'
  | 'task'
  | 'directory'
  | 'verifyReady'
>;

/** A default that is spelled out is the same request. */
export const boundFacts = (request: StrictInvokeRequest): BoundFacts => ({
  contract: request.spawn_contract,
  nodeId: request.node_id,
  nodeName: request.node_name,
  agentName: request.agent_name,
  harness: request.harness,
  task: request.task,
  directory: request.directory ?? null,
  verifyReady: request.verify_ready ?? false,
});

/** What a replay repeats of the call; what it leaves out is not compared. */
export const repeatedFacts = (request: SpawnReplayRequest): Partial<BoundFacts> =>
  Object.fromEntries(
    Object.entries({
      contract: request.spawn_contract,
      nodeId: request.node_id,
      nodeName: request.node_name,
      agentName: request.agent_name,
      harness: request.harness,
      task: request.task,
      directory: request.directory,
      verifyReady: request.verify_ready,
    }).filter(([, fact]) => fact !== undefined),
  );
