import type { ReportAnswer, RunReport } from '#contracts';
import type { RunId } from '#kernel';
import type { AttemptEnd, Receipts } from '#runs/contract';
import { tracing } from '#tracing';
import { entryOf, leftovers, type Entry } from '../domain/index.js';
import { NO_OUTPUT, retryDelayMs, type CommandReply, type WorkerSurroundings } from './ports.js';

/** Evidence on the way is asked for again when it matters, so its sending need not be tried for ever. */
const EVIDENCE_TRIES_MAX = 20;

/** How `commands` refuses what it can't take as it was said. */
const MALFORMED = 'invalid_request';
const NOTHING_ELSE = { output: NO_OUTPUT, receipts: {} } as const;

/** Puts what is known of one entry into reports, each named so that a repeat is recognised. */
export class EntryReporter {
  /** The trace context of the attempt, once it ended here. */
  #attempt: string | undefined;

  constructor(
    private readonly runId: RunId,
    private readonly generation: number,
    private readonly around: WorkerSurroundings,
  ) {}

  /** What the node says of it belongs to the attempt, once that has ended, else to its frame. */
  get trace(): string | undefined {
    const { journal } = this.around.ports;
    return this.#attempt ?? entryOf(journal.run(this.runId), this.generation)?.frame?.traceparent;
  }

  /**
   * The end of an attempt is journalled. Its span is made now, from the journal's own times: whoever started it may be gone,
   * and one that had to be kept open would be lost with its process.
   */
  ended({ phase, goAt: startedAt, frame }: Entry, end: AttemptEnd): void {
    if (phase !== 'go' || startedAt === null || frame === null) return;
    const { workspace, node, agent, runId, generation, traceparent: parent } = frame;
    const facts = {
      'holdfast.workspace': workspace,
      'holdfast.node': node,
      'holdfast.agent': agent,
      'holdfast.id': runId,
      'holdfast.generation': generation,
      'holdfast.outcome': end.how,
    };
    const span = tracing.open({ name: 'attempt', parent, startedAt, facts });
    this.#attempt = span.traceparent;
    if (end.how !== 'completed') span.fail(end.how);
    span.end();
  }

  /** How it ended, or that it was never started: what the journal holds, and nothing else. */
  async end(entry: Entry): Promise<CommandReply<ReportAnswer>> {
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

  running(still: () => boolean): void {
    this.#tell({ ...this.#base(), kind: 'running', evidence: 'its process group is alive' }, still);
  }

  receipts(receipts: Receipts, still: () => boolean): void {
    this.#tell({ ...this.#base(), kind: 'receipts', receipts }, still);
  }

  #tell(report: RunReport, still: () => boolean, tries = 0): void {
    if (!still()) return;
    void this.#report(report).then((reply) => {
      if (reply.kind !== 'no-answer' || tries >= EVIDENCE_TRIES_MAX) return;
      this.around.timers.after(retryDelayMs(tries), () => {
        this.#tell(report, still, tries + 1);
      });
    });
  }

  #report(report: RunReport): Promise<CommandReply<ReportAnswer>> {
    return this.around.ports.commands.report(report, this.trace);
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
