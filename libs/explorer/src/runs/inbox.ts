import { STEP, wordAt } from '../engine/index.js';
import type { AgentShell } from './agent.js';
import { AT, epochOf, isLost, type Side } from './layout.js';
import type { Interners } from './memory.js';
import { MessageShell, type ClaimMessage, type ReportMessage } from './messages.js';
import type { RunSetup } from './rules.js';
import type { Steps } from './steps.js';
import type { RunSubject } from './subject.js';

/** What reaches `commands` from a node: decided and appended in one step, answered or not. */
export class Inbox {
  readonly #messages: MessageShell;

  constructor(
    private readonly setup: RunSetup,
    private readonly interners: Interners,
    private readonly subject: RunSubject,
    agents: AgentShell,
    private readonly steps: Steps,
  ) {
    this.#messages = new MessageShell(interners, subject, agents);
  }

  receive(state: Int32Array, side: Side): void {
    const run = wordAt(state, AT.run);
    const entries = wordAt(state, AT.entries + side);
    const agent = wordAt(state, AT.agent + side);
    const facts = wordAt(state, AT.facts);
    const epoch = epochOf(facts);
    for (const claim of this.#messages.claims.of(entries, agent, epoch, side))
      this.#claim(run, claim);
    for (const message of this.#messages.reports.of(entries, agent, epoch, side))
      this.#report(run, message, isLost(facts, side));
    if (!this.setup.shell.closesBeforeReporting) this.#earlyReports(state, side);
    const programs = wordAt(state, AT.programs + side);
    if (programs === 0) return;
    for (const message of this.#messages.evidence.of(entries, agent, programs, side)) {
      const news = this.#messages.news(run, message);
      if (news !== null) this.steps.append(message.kind, message.label, news, -1);
    }
  }

  /** Heard and acknowledged; or heard late, again, or without an answer that comes back. */
  #report(run: number, { label, acknowledged, command }: ReportMessage, lost: boolean): void {
    const news = this.#messages.news(run, { command });
    if (news !== null) this.steps.append(STEP.fault, `${label}, unheard`, news, -1);
    if (acknowledged === null || lost) return;
    if (news !== null) this.steps.append(STEP.fair, label, news, -1, acknowledged);
    else this.steps.move({ kind: STEP.fair, label: `${label}: no news`, words: acknowledged });
  }

  /** Only for a negative control: an entry is reported as not started, left open, and taken up again. */
  #earlyReports(state: Int32Array, side: Side): void {
    const run = wordAt(state, AT.run);
    const known = this.interners.early.at(wordAt(state, AT.early));
    for (const { label, words, report } of this.#messages.early.of(
      wordAt(state, AT.entries + side),
      wordAt(state, AT.agent + side),
      0,
      side,
    )) {
      const said = this.interners.early.id([...known, report]);
      if (!known.includes(report))
        this.steps.move({ kind: STEP.fair, label, words: [AT.early, said] });
      this.steps.move({ kind: STEP.fair, label: `${label}, and takes it up again`, words });
    }
    for (const report of known) {
      const news = this.#messages.news(run, { command: report });
      if (news !== null) this.steps.append(STEP.fair, 'commands: an early report', news, -1);
    }
  }

  #claim(run: number, { command, label, granted, refused }: ClaimMessage): void {
    const outcome = this.subject.outcome(run, run, command);
    if (!this.setup.shell.compareAndSetOfClaims && outcome.answer === 'appended') {
      this.steps.decide(STEP.fault, label, 0, command);
      return;
    }
    if (outcome.answer === 'appended') {
      this.steps.append(STEP.fault, `${label}, unheard`, outcome, -1);
      if (granted !== null) this.steps.append(STEP.fair, label, outcome, -1, granted);
      return;
    }
    const words = outcome.answer === 'refused' ? refused : granted;
    if (words !== null)
      this.steps.move({ kind: STEP.fair, label: `${label}: ${outcome.label}`, words });
  }
}
