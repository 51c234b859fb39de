import type { RunReport } from '#contracts';
import type { RunCommand } from '#runs/domain';

/** The command that the commands service makes of a report, in epoch 1 at time 0. */
export const commandOf = (report: RunReport): RunCommand => {
  const { runId, generation, journalId, incarnation } = report;
  const base = { runId, generation, journalId, incarnation, now: 0 };
  switch (report.kind) {
    case 'not-started':
      return {
        ...base,
        type: 'ReportNotStarted',
        disproves: report.disproves,
        proof: report.proof,
        epoch: 1,
      };
    case 'receipts':
      return { ...base, type: 'ReportReceipts', receipts: report.receipts };
    case 'running':
      return { ...base, type: 'ReportRunning', evidence: report.evidence };
    case 'ended': {
      const { end, output, receipts } = report;
      return { ...base, type: 'ReportEnd', end, output, receipts, epoch: 1 };
    }
  }
};

/** A run of one prompt to an agent of the node `n1`. */
export const submissionOf = (runId: string, attempts: 'single' | 'resumable'): RunCommand => ({
  type: 'SubmitRun',
  runId,
  now: 0,
  sessionId: runId,
  opensSession: true,
  agent: 'echo',
  node: 'n1',
  runClass: {
    runtime: 'cli',
    attempts,
    deduplicatesByKey: false,
    readBackByKey: attempts === 'resumable',
    interruptible: false,
    outlivesClient: attempts === 'resumable',
  },
  prompt: 'hello',
  principal: 'user:ada',
  fingerprint: 'f',
  epoch: 1,
});
