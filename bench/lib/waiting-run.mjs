import { randomUUID } from 'node:crypto';
import { RUN } from '#runs/domain';

/** A submission for a node that is not there: it waits, and costs a saga one look. @param {import('#nats').JetStreamEventStore} store */
export const appendWaitingRun = async (store) => {
  const runId = randomUUID();
  await store.append({
    ref: { aggregate: 'run', workspace: 'main', id: runId },
    expected: 0,
    commandId: `submit/${runId}`,
    events: RUN.decide(submission(runId), RUN.initialState(runId)),
    metadata: { command: 'SubmitRun', actor: 'user:bench' },
  });
};

/** @param {string} runId @returns {import('#runs/domain').RunCommand} */
const submission = (runId) => ({
  type: 'SubmitRun',
  runId,
  now: Date.now(),
  sessionId: runId,
  opensSession: true,
  agent: 'absent',
  node: 'absent',
  runClass: {
    runtime: 'cli',
    attempts: 'single',
    deduplicatesByKey: false,
    readBackByKey: false,
    interruptible: false,
    outlivesClient: false,
  },
  prompt: 'x'.repeat(200),
  principal: 'user:bench',
  fingerprint: runId,
  epoch: 1,
});
