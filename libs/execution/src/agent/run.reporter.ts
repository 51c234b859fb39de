import type { ClaimAnswer, ReportAnswer, RunReport } from '#contracts';
import type { Receipts } from '#runs/contract';
import { leftovers, type Entry } from '../domain/index.js';
import {
  MALFORMED,
  sayUntilAnswered,
  type EntryReporter,
  type ReporterSurroundings,
} from './entry.reporter.js';
import { NO_OUTPUT, type CommandReply } from './ports.js';

/** Evidence on the way is asked for again when it matters, so its sending need not be tried for ever. */
const EVIDENCE_TRIES_MAX = 20;

const NOTHING_ELSE = { output: NO_OUTPUT, receipts: {} } as const;

type Base = Pick<
  RunReport,
  'runId' | 'generation' | 'journalId' | 'incarnation' | 'journalSequence'
>;

/** Speaks of one generation of a run. */
export class RunReporter implements EntryReporter {
  constructor(private readonly around: ReporterSurroundings) {}

  claim(): Promise<CommandReply<ClaimAnswer>> {
    const { commands, self, records, trace } = this.around;
    const { runId, generation } = records;
    return commands.claim({ runId, generation, ...self }, trace());
  }

  /** A run that is claimed counts as running: there is nothing to add. */
  started(): void {
    return undefined;
  }

  lives(still: () => boolean): void {
    this.#tell({ ...this.#base(), kind: 'running', evidence: 'its process group is alive' }, still);
  }

  receipts(receipts: Receipts, still: () => boolean): void {
    this.#tell({ ...this.#base(), kind: 'receipts', receipts }, still);
  }

  async outcome(entry: Entry): Promise<CommandReply<ReportAnswer>> {
    if (entry.phase !== 'ended' || entry.end === null)
      return this.#report({
        ...this.#base(),
        kind: 'not-started',
        disproves: entry.incarnation,
        proof: entry.closedBecause ?? 'closed in the journal',
      });
    const reply = await this.#report({ ...this.#base(), kind: 'ended', ...entry.end });
    if (reply.kind !== 'refused' || reply.code !== MALFORMED) return reply;
    // Said in part rather than not at all: a run whose end nobody hears of would say for ever that it runs.
    const reason = 'it ended, and how it ended could not be recorded';
    const remains = leftovers(entry) ? ['something of it, see the log of its node'] : [];
    const end = { how: 'lost', reason, remains } as const;
    return this.#report({ ...this.#base(), kind: 'ended', end, ...NOTHING_ELSE });
  }

  #tell(report: RunReport, still: () => boolean): void {
    const say = (): Promise<CommandReply<ReportAnswer>> => this.#report(report);
    void sayUntilAnswered(say, still, this.around.timers, EVIDENCE_TRIES_MAX);
  }

  #report(report: RunReport): Promise<CommandReply<ReportAnswer>> {
    return this.around.commands.report(report, this.around.trace());
  }

  #base(): Base {
    const { runId, generation, sequence: journalSequence } = this.around.records;
    return { runId, generation, ...this.around.self, journalSequence };
  }
}
