import type { AgentState } from '#agents/domain';
import type { NodeState } from '#nodes/domain';
import type { Sql } from '#postgres';
import type { RunState } from '#runs/domain';
import type { SessionState } from '#sessions/domain';
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
  })),
  agents: objectOf(histories.states('agent'), ({ status, binding }: AgentState) => ({
    status,
    node: binding?.node,
    promptBy: binding?.promptBy,
  })),
});
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
      'capabilities', capabilities) AS seen FROM node_view`),
    agents: await query(`SELECT name AS id, json_build_object('status', status, 'node', node,
      'promptBy', prompt_by) AS seen FROM agent_view`),
  };
};
