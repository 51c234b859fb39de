import { isOpen, type Entry } from '#execution/domain';
import type { RunCommand } from '#runs/domain';
import { Memo, STEP, itemAt, type StepKind } from '../engine/index.js';
import type { AgentShell } from './agent.js';
import { claimRun, reportNotStarted, reportOf, reportReceipts, reportRunning } from './commands.js';
import { JOURNALS, incarnationOf, type Side } from './layout.js';
import { held, withReported, type Local } from './local.js';
import { isAlive, wasStarted, type Interners } from './memory.js';
import type { Words } from './steps.js';
import type { Outcome, RunSubject } from './subject.js';

/** A message of a node that may reach `commands` now. */
export interface Message {
  readonly command: number;
  readonly generation: number;
  readonly label: string;
}
/** A request to claim, with what the agent does at each answer; null: its incarnation waits for none. */
export interface ClaimMessage extends Message {
  readonly granted: Words | null;
  readonly refused: Words | null;
}
/** How an entry ended, or that it was closed. */
export interface ReportMessage extends Message {
  /** It is acknowledged, and journalled as that; null: it was before, or nobody is there to send it. */
  readonly acknowledged: Words | null;
}
/** Of a program that was started: that it was seen alive, or a receipt. */
export interface EvidenceMessage extends Message {
  /** It is alive, and watched: the agent can say so now. */
  readonly kind: StepKind;
}

export interface EarlyReport {
  readonly label: string;
  readonly report: number;
  /** The entry is taken up again by this incarnation. */
  readonly words: Words;
}

/**
 * What a journal has ever sent. A claim, an end and a closing are facts of the journal that stay true, so a message that
 * was lost, repeated or late is no other than one that is sent now: they need no memory of their own.
 */
export class MessageShell {
  /** Requests to claim: of the incarnation that took the frame, whether it still lives or not. */
  readonly claims = new Memo((entries, agent, epoch, side) =>
    this.#claims(this.agents.local(entries, agent), epoch, side === 0 ? 0 : 1),
  );
  /** Reports of ends and closings. */
  readonly reports = new Memo((entries, agent, epoch, side) =>
    this.#reports(this.agents.local(entries, agent), epoch, side === 0 ? 0 : 1),
  );
  readonly evidence = new Memo((entries, agent, programs, side) =>
    this.#evidence(this.agents.local(entries, agent, programs), side === 0 ? 0 : 1),
  );

  /** For the negative control that reports before it closes. */
  readonly early = new Memo((entries, agent, _none, side) =>
    this.#early(this.agents.local(entries, agent), side === 0 ? 0 : 1),
  );

  constructor(
    private readonly interners: Interners,
    private readonly subject: RunSubject,
    private readonly agents: AgentShell,
  ) {}

  /** What a message comes to; null where it is no news: not a change of the fold, and no alarm. */
  news(run: number, message: Pick<Message, 'command'>): Outcome | null {
    const outcome = this.subject.outcome(run, run, message.command);
    return outcome.run === run && !outcome.alarm ? null : outcome;
  }

  #claims(local: Local, epoch: number, side: Side): readonly ClaimMessage[] {
    return local.entries.entries
      .filter((entry) => entry.frame !== null)
      .map((entry) => {
        const { generation, incarnation } = entry;
        const waits = this.#waitsForClaim(entry, local, side);
        const words = (after: Local): Words => this.agents.words(after, side).slice(0, 4);
        return {
          generation,
          command: this.#idOf('claim', entry, side, epoch, claimRun),
          label: `commands: claim of generation ${generation} by ${incarnation}`,
          granted: waits ? words(held(local, generation, 'claimed')) : null,
          refused: waits
            ? words(this.agents.closed(local, generation, side, 'the claim was refused'))
            : null,
        };
      });
  }

  /** The command's number: the same for all journals in which the entry stands. */
  #idOf(
    what: string,
    entry: Entry,
    side: Side,
    epoch: number,
    make: (entry: Entry, side: Side, epoch: number) => RunCommand,
  ): number {
    const key = `${what}/${side}/${entry.generation}/${entry.incarnation}/${epoch}`;
    return this.interners.commands.named(key, () => make(entry, side, epoch));
  }

  #waitsForClaim(entry: Entry, local: Local, side: Side): boolean {
    const { agent } = local;
    return (
      agent.life !== 'down' &&
      entry.incarnation === incarnationOf(side, agent.starts) &&
      itemAt(agent.grips, entry.generation - 1) === 'taken' &&
      this.agents.nextOf(entry, local, side).some((step) => step.kind === 'claim')
    );
  }

  #reports(local: Local, epoch: number, side: Side): readonly ReportMessage[] {
    const { agent, entries } = local;
    return entries.entries.flatMap((entry): readonly ReportMessage[] => {
      const { generation, end } = entry;
      // An end that is over was forgotten, see `withoutWhatIsOver`.
      if (isOpen(entry) || (entry.phase === 'ended' && end === null)) return [];
      const how = end === null ? 'not started' : JSON.stringify(end.end);
      const reports = this.agents
        .nextOf(entry, local, side)
        .some((step) => step.kind === 'report' && agent.life !== 'down');
      const after = withReported(local, generation, true);
      return [
        {
          command: this.#idOf(how, entry, side, epoch, reportOf),
          generation,
          label: `commands: ${JOURNALS[side]} reports generation ${generation} ${end?.end.how ?? how}`,
          acknowledged: reports ? this.agents.words(after, side).slice(0, 2) : null,
        },
      ];
    });
  }

  #early(local: Local, side: Side): readonly EarlyReport[] {
    const incarnation = incarnationOf(side, local.agent.starts);
    if (local.agent.life !== 'up') return [];
    return local.entries.entries.flatMap((entry): readonly EarlyReport[] => {
      const { generation, frame } = entry;
      if (entry.phase !== 'taken' || entry.incarnation === incarnation || frame === null) return [];
      const report = this.interners.commands.id(reportNotStarted(entry, side, 1));
      const data = { runId: entry.runId, generation, at: 0, incarnation, frame };
      const again = this.agents.journal(held(local, generation, 'taken'), {
        type: 'FrameTaken',
        data,
      });
      return [
        {
          label: `${incarnation}: reports generation ${generation} not started, and leaves it open`,
          report,
          words: this.agents.words(again, side).slice(0, 4),
        },
      ];
    });
  }

  #evidence(local: Local, side: Side): readonly EvidenceMessage[] {
    return local.entries.entries.flatMap((entry): readonly EvidenceMessage[] => {
      const { generation } = entry;
      const program = local.programs[generation - 1];
      if (program === undefined || !wasStarted(program)) return [];
      const watched = itemAt(local.agent.grips, generation - 1) === 'watching';
      const kind = watched && isAlive(program) ? STEP.fair : STEP.fault;
      const label = `commands: ${JOURNALS[side]} reports generation ${generation}`;
      const running = this.#idOf('running', entry, side, 0, reportRunning);
      const receipts = this.#idOf('receipts', entry, side, 0, reportReceipts);
      return [
        { kind, generation, command: running, label: `${label} running` },
        { kind, generation, command: receipts, label: `${label} sent` },
      ];
    });
  }
}
