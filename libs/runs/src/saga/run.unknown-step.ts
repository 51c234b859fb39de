import type { UnknownEvidence } from '../contract/index.js';
import type { RecordOutcomeUnknown } from '../domain/index.js';
import type { JournalsVerdict } from './run.answers.js';
import type { LoadedRun, Performed, StepContext } from './run.performed.js';
import type { RunSagaPorts } from './run.ports.js';

/** Records that nobody can say what happened: it is shown, and never sent again. */
export const concludeUnknown = async (
  run: LoadedRun,
  holder: Pick<
    Extract<JournalsVerdict, { kind: 'unknown' }>,
    'generation' | 'journalId' | 'incarnation'
  >,
  reason: string,
  { epoch, doubt, lastHeardAt }: StepContext,
  ports: RunSagaPorts,
): Promise<Performed> => {
  const { runId, submission, receipts } = run.state;
  const { generation, journalId, incarnation } = holder;
  const evidence: UnknownEvidence = {
    reason,
    node: submission.node,
    journalId,
    ...(incarnation === null ? {} : { incarnation }),
    receipts,
    ...(lastHeardAt === null ? {} : { lastHeardAt }),
  };
  const command: RecordOutcomeUnknown = {
    type: 'RecordOutcomeUnknown',
    runId,
    now: ports.now(),
    generation,
    code: 'RUN_OUTCOME_UNKNOWN',
    witness: doubt === null ? 'saga' : 'reconciler',
    evidence,
    fenced: false,
    epoch,
  };
  return { kind: 'moved', run: await ports.append(run, command) };
};
