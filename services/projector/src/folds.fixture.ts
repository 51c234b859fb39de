import type { AgentState } from '#agents/domain';
import { slotOf, type NodeState } from '#nodes/domain';
import type { Sql } from '#postgres';
import type { RunState } from '#runs/domain';
import type { SessionState } from '#sessions/domain';
import type { ExistingSpawn, SpawnState } from '#spawns/domain';
import type { Histories } from './histories.fixture.js';

/** What the deciders' folds say of all that was written, by kind and id, as far as rows say it as well. */
export const folded = (...written: readonly Histories[]): Record<string, object> => {
  const all: Record<string, object> = {};
  for (const one of written)
    for (const [kind, states] of Object.entries(foldOf(one)))
      all[kind] = { ...all[kind], ...states };
  return all;
};

const foldOf = (histories: Histories): Record<string, object> => ({
  runs: objectOf(histories.states('run'), (run: RunState) =>
    run.status === 'none'
      ? undefined
      : {
          status: run.status,
          generation: run.generation,
          receipts: [
            run.receipts.sent ?? null,
            run.receipts.acked ?? null,
            run.receipts.observed ?? null,
          ],
          stop: run.stop?.stopId ?? null,
          fenced: run.status === 'unknown' ? (run.unknown?.fenced ?? null) : null,
          lateEvidence: run.lateEvidence.length,
          prompt: run.submission.prompt,
          admitted: isAdmitted(run, histories),
        },
  ),
  sessions: objectOf(histories.states('session'), ({ active, queue }: SessionState) => ({
    active,
    queue,
  })),
  nodes: objectOf(histories.states('node'), (node: NodeState) => ({
    membership: node.status,
    journalId: node.journalId,
    incarnation: node.incarnation,
    maxRuns: node.description?.maxRuns,
    capabilities: node.description?.capabilities,
    harnesses: node.description?.harnesses,
    drained: node.drained,
    slots: Object.entries(node.slots.held)
      .map(([spawnId, { state, round }]) => [spawnId, state, round])
      .sort(),
  })),
  agents: objectOf(offered(histories), ({ status, binding }: AgentState) => ({
    status,
    node: binding?.node,
    promptBy: binding?.promptBy,
  })),
  spawns: objectOf(histories.states('spawn'), (spawn: SpawnState) =>
    spawn.status === 'none' ? undefined : spawnOf(spawn, histories),
  ),
});
/** Agents of spawns are shown as spawns. */
const offered = (histories: Histories): ReadonlyMap<string, unknown> =>
  new Map(
    [...histories.states('agent')].filter(
      ([, agent]) => (agent as AgentState).binding?.spawn === undefined,
    ),
  );

const STANDING = { none: 'none', registered: 'alive', ended: 'ended' } as const;

const spawnOf = (spawn: ExistingSpawn, histories: Histories): object => {
  const { spawnId, placement, dispatch, request } = spawn;
  const holders = [...histories.states('node')].flatMap(([nodeId, node]) => {
    const slot = slotOf((node as NodeState).slots, spawnId);
    return slot === null ? [] : [[nodeId, slot.state, slot.round]];
  });
  const agent = histories.states('agent').get(spawnId) as AgentState | undefined;
  return {
    status: spawn.status,
    kind: request.kind,
    task: request.task,
    code: spawn.failure?.code ?? null,
    nodeId: placement?.nodeId ?? null,
    round: placement?.round ?? 0,
    generation: dispatch?.generation ?? 0,
    retryAfterAt: dispatch?.retryAfterAt ?? null,
    slot: holders[0] ?? [null, 'none', null],
    holders: holders.length <= 1,
    agent: STANDING[agent?.status ?? 'none'],
    lateAgent: spawn.lateAgent,
    lateEvidence: spawn.lateEvidence.length,
    resolution: spawn.resolution,
    stop: spawn.agentStop?.stopId ?? null,
  };
};

const isAdmitted = (run: Exclude<RunState, { status: 'none' }>, histories: Histories): boolean => {
  if (run.submission.opensSession) return true;
  const session = histories.states('session').get(run.submission.sessionId) as SessionState;
  return !session.queue.includes(run.runId);
};
const objectOf = (states: ReadonlyMap<string, unknown>, of: (state: never) => unknown) =>
  Object.fromEntries([...states].map(([id, state]) => [id, of(state as never)]));

/** The same, as the rows say it. */
export const projected = async (sql: Sql): Promise<Record<string, unknown>> => {
  const query = async (text: string): Promise<Record<string, unknown>> => {
    const rows = await sql.query<{ id: string; seen: unknown }>(text);
    return Object.fromEntries(rows.map(({ id, seen }) => [id, seen]));
  };
  const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;
  return {
    runs: await query(`SELECT run_id AS id, json_build_object(
      'status', status, 'generation', generation,
      'receipts', json_build_array(${ms('sent_at')}, ${ms('acked_at')}, ${ms('observed_at')}),
      'stop', stop_id, 'fenced', unknown_fenced, 'lateEvidence', late_evidence,
      'prompt', prompt, 'admitted', admitted) AS seen
      FROM run_view JOIN run_prompt USING (workspace, run_id)`),
    sessions: await query(`SELECT session_id AS id,
      json_build_object('active', active_run_id, 'queue', queue) AS seen FROM session_view`),
    nodes: await query(`SELECT node_id AS id, json_build_object('membership', membership,
      'journalId', journal_id, 'incarnation', incarnation, 'maxRuns', max_runs,
      'capabilities', capabilities, 'harnesses', harnesses, 'drained', drained_at IS NOT NULL,
      'slots', coalesce((SELECT json_agg(json_build_array(spawn_id, state, slot_view.round) ORDER BY spawn_id)
        FROM slot_view WHERE slot_view.node_id = node_view.node_id AND state <> 'released'), '[]')
      ) AS seen FROM node_view`),
    agents: await query(`SELECT name AS id, json_build_object('status', status, 'node', node,
      'promptBy', prompt_by) AS seen FROM agent_view`),
    spawns: await query(`SELECT spawn_id AS id, json_build_object('status', status, 'kind', kind,
      'task', task, 'code', code, 'nodeId', node_id, 'round', round, 'generation', generation,
      'retryAfterAt', ${ms('retry_after_at')},
      'slot', json_build_array(slot_node_id, slot, slot_round), 'holders', true, 'agent', agent,
      'lateAgent', late_agent, 'lateEvidence', late_evidence, 'resolution', resolution,
      'stop', stop_id) AS seen
      FROM spawn_view JOIN spawn_task USING (workspace, spawn_id)`),
  };
};
