import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ReportAnswer, RunReport } from '#contracts';
import { metadataOf, nodeActor } from '#hosting';
import type { Epoch, Instant } from '#kernel';
import { METRICS, type Metrics } from '#platform';
import type {
  ReportEnd,
  ReportNotStarted,
  ReportReceipts,
  ReportRunning,
} from '../domain/index.js';
import { commandOfNode } from './foreign-node.js';
import { RUN_AGGREGATE } from './run.aggregate.js';
import { RUN_WRITING, type RunWriting } from './run-writing.js';
import { ReportRunCommand } from './run.commands.js';

/** Records what a node knows. A report that is no news, or was recorded before, is answered as recorded all the same. */
@CommandHandler(ReportRunCommand)
export class ReportRunHandler implements ICommandHandler<ReportRunCommand> {
  private readonly took;

  constructor(
    @Inject(RUN_WRITING) private readonly runs: RunWriting,
    @Inject(METRICS) metrics: Metrics,
  ) {
    this.took = metrics.seconds(
      'run_settled_after_seconds',
      'From the submission of a run to the report that settled it.',
      ['status'],
      'long',
    );
  }

  /** @throws RuleViolation `run_not_found`, `run.foreign_node`: nobody will ever record it. */
  async execute({ workspace, node, report, trace }: ReportRunCommand): Promise<ReportAnswer> {
    const command = commandOf(report, await this.runs.epochs.epoch(), this.runs.clock.now());
    const reported = await this.runs.store.execute(
      RUN_AGGREGATE,
      { workspace, id: report.runId },
      commandOfNode(node, command),
      {
        commandId: reportId(report),
        metadata: metadataOf(command.type, { actor: nodeActor(workspace, node), ...trace }),
      },
    );
    const { state } = reported.loaded;
    const isNews = reported.events.length > 0 && !reported.repeated;
    if (isNews && SETTLED.has(state.status) && state.status !== 'none')
      this.took.observe({ status: state.status }, (command.now - state.submittedAt) / 1_000);
    return { recorded: reported.events.length > 0 };
  }
}

/**
 * Names a report over its repeats: the work, who speaks, and the last journal entry that it covers. What is not in the
 * journal (receipts, a sighting) may be news each time it is told, so each telling has a name of its own: the decider
 * drops what is recorded already.
 */
const reportId = ({ kind, generation, incarnation, journalSequence }: RunReport): string => {
  const id = ['report', kind, generation, incarnation, journalSequence].join('/');
  switch (kind) {
    case 'receipts':
    case 'running':
      return `${id}/${randomUUID()}`;
    case 'not-started':
    case 'ended':
      return id;
  }
};

/** What a report can settle a run as. */
const SETTLED: ReadonlySet<string> = new Set(['completed', 'failed', 'stopped']);

type ReportCommand = ReportNotStarted | ReportReceipts | ReportRunning | ReportEnd;

const commandOf = (report: RunReport, epoch: Epoch, now: Instant): ReportCommand => {
  const { runId, generation, journalId, incarnation } = report;
  const base = { runId, generation, journalId, incarnation, now };
  switch (report.kind) {
    case 'not-started':
      return {
        type: 'ReportNotStarted',
        ...base,
        disproves: report.disproves,
        proof: report.proof,
        epoch,
      };
    case 'receipts':
      return { type: 'ReportReceipts', ...base, receipts: report.receipts };
    case 'running':
      return { type: 'ReportRunning', ...base, evidence: report.evidence };
    case 'ended':
      return {
        type: 'ReportEnd',
        ...base,
        end: report.end,
        output: report.output,
        receipts: report.receipts,
        epoch,
      };
  }
};
