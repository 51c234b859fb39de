import type { ReportAnswer, RunReport } from '#contracts';
import type { RunId } from '#kernel';
import type { Receipts } from '#runs/contract';
import type { Entry } from '../domain/index.js';
import { retryDelayMs, type CommandReply, type WorkerSurroundings } from './ports.js';

/** Evidence on the way is asked for again when it matters, so its sending need not be tried for ever. */
const EVIDENCE_TRIES_MAX = 20;

/** Puts what is known of one entry into reports, each named so that a repeat is recognised. */
export class EntryReporter {
  constructor(
    private readonly runId: RunId,
    private readonly generation: number,
    private readonly around: WorkerSurroundings,
  ) {}

  /** How it ended, or that it was never started: what the journal holds, and nothing else. */
  end(entry: Entry): Promise<CommandReply<ReportAnswer>> {
    return this.around.ports.commands.report(
      entry.phase === 'ended' && entry.end !== null
        ? { ...this.#base(), kind: 'ended', ...entry.end }
        : {
            ...this.#base(),
            kind: 'not-started',
            disproves: entry.incarnation,
            proof: entry.closedBecause ?? 'closed in the journal',
          },
    );
  }

  running(still: () => boolean): void {
    this.#tell({ ...this.#base(), kind: 'running', evidence: 'its process group is alive' }, still);
  }

  receipts(receipts: Receipts, still: () => boolean): void {
    this.#tell({ ...this.#base(), kind: 'receipts', receipts }, still);
  }

  #tell(report: RunReport, still: () => boolean, tries = 0): void {
    if (!still()) return;
    void this.around.ports.commands.report(report).then((reply) => {
      if (reply.kind !== 'no-answer' || tries >= EVIDENCE_TRIES_MAX) return;
      this.around.timers.after(retryDelayMs(tries), () => {
        this.#tell(report, still, tries + 1);
      });
    });
  }

  #base(): Pick<
    RunReport,
    'runId' | 'generation' | 'journalId' | 'incarnation' | 'journalSequence'
  > {
    const { runId, generation } = this;
    const { self, ports } = this.around;
    return { runId, generation, ...self, journalSequence: ports.journal.sequenceOf(runId) };
  }
}
