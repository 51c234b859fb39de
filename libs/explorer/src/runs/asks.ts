import {
  entryOf,
  isOpen,
  type AskDecision,
  type Grip,
  type JournalIdentity,
} from '#execution/domain';
import { Memo, STEP, itemAt, withItem } from '../engine/index.js';
import type { AgentShell } from './agent.js';
import { JOURNALS, RUN_ID, incarnationOf, type Side } from './layout.js';
import { withReported, withdrawn, type Local } from './local.js';
import { hasLeftovers, type Dispatched, type Interners } from './memory.js';
import type { RunSetup } from './rules.js';
import type { Move } from './steps.js';

/** A question that changes something at the node that it reaches. */
export interface AskMove extends Move {
  readonly generation: number;
}

/** How a node answers: the project's `decideAsk`, with its records journalled before the answer leaves. */
export class AskShell {
  /** Any question about a dispatched generation may arrive now, also late, also again. */
  readonly status = new Memo((frames, entries, agent, side) =>
    this.#arrive('status', frames, entries, agent, side === 0 ? 0 : 1),
  );
  readonly stop = new Memo((frames, entries, agent, side) =>
    this.#arrive('stop', frames, entries, agent, side === 0 ? 0 : 1),
  );
  /** A run that became unknown because a journal was lost is asked about there, in a generation that it may never have had. */
  readonly ofUnknown = new Memo((entries, agent, generation, side) =>
    this.#ask('status', generation, this.agents.local(entries, agent), side === 0 ? 0 : 1),
  );
  /** After a restore: what older epochs left unstarted is closed, and their late frames are refused. */
  readonly closeOlder = new Memo((entries, agent, programs, side) =>
    this.#closeOlder(this.agents.local(entries, agent, programs), side === 0 ? 0 : 1),
  );
  /** What this agent would say of a generation, if it were asked now. */
  readonly answers = new Memo((entries, agent, generation, side) =>
    this.answerOf('status', generation, this.agents.local(entries, agent), side === 0 ? 0 : 1),
  );
  readonly answersToClose = new Memo((entries, agent, _none, side) =>
    this.answerOf('close-older-epochs', 0, this.agents.local(entries, agent), side === 0 ? 0 : 1),
  );

  constructor(
    private readonly setup: RunSetup,
    private readonly interners: Interners,
    private readonly agents: AgentShell,
  ) {}

  answerOf(
    question: 'status' | 'stop' | 'close-older-epochs',
    generation: number,
    local: Local,
    side: Side,
    holder: string | null = null,
  ): AskDecision {
    const self: JournalIdentity = {
      journalId: JOURNALS[side],
      incarnation: incarnationOf(side, local.agent.starts),
    };
    const ask = { question, runId: RUN_ID, generation, epoch: 2, holder };
    const grip = local.agent.grips[generation - 1] ?? 'none';
    return this.setup.rules.decideAsk(local.entries, ask, self, isBeingStarted(grip), 0);
  }

  #arrive(
    question: 'status' | 'stop',
    frames: number,
    entries: number,
    agent: number,
    side: Side,
  ): readonly AskMove[] {
    const local = this.agents.local(entries, agent);
    return this.interners.frames
      .at(frames)
      .filter((dispatched) => this.#mayAnswer(dispatched, side))
      .flatMap(({ generation }) =>
        this.#holders.flatMap((holder) => this.#ask(question, generation, local, side, holder)),
      );
  }

  /** Whose claim is asked about; it matters only where a journal answers for another one. */
  get #holders(): readonly (string | null)[] {
    if (this.setup.shell.onlyNamedJournalAnswers) return [null];
    return [null, ...[0, 1, 2].map((starts) => incarnationOf(0, starts))];
  }

  #ask(
    question: 'status' | 'stop',
    generation: number,
    local: Local,
    side: Side,
    holder: string | null = null,
  ): readonly AskMove[] {
    if (local.agent.life === 'down') return [];
    const decided = this.answerOf(question, generation, local, side, holder);
    const told = this.#sayingAgain(
      this.agents.journal(local, ...decided.records),
      question,
      generation,
    );
    const after = question === 'stop' ? stopNoted(told, generation) : told;
    if (this.#isSame(after, local)) return [];
    const who = incarnationOf(side, local.agent.starts);
    const label = `${who}: asked (${question}) about generation ${generation}, answers ${decided.answer}`;
    return [
      { kind: STEP.fair, generation, label, words: this.agents.words(after, side).slice(0, 4) },
    ];
  }

  /** What is over is reported (again), also if that was acknowledged before: the asker may have forgotten it. */
  #sayingAgain(local: Local, question: 'status' | 'stop', generation: number): Local {
    const says = question === 'status' || this.setup.shell.saysAgainWhenToldToStop;
    return says ? withReported(local, generation, false) : local;
  }

  #isSame(one: Local, other: Local): boolean {
    const { agents, entries } = this.interners;
    return (
      agents.id(one.agent) === agents.id(other.agent) &&
      entries.id(one.entries) === entries.id(other.entries)
    );
  }

  #mayAnswer(dispatched: Dispatched, side: Side): boolean {
    return dispatched.side === side || !this.setup.shell.onlyNamedJournalAnswers;
  }

  #closeOlder(local: Local, side: Side): readonly Move[] {
    if (local.agent.life === 'down') return [];
    const decided = this.answerOf('close-older-epochs', 0, local, side);
    if (decided.records.length === 0) return [];
    const withoutPrograms = decided.records.reduce(
      (known, record) =>
        record.type === 'EntryClosed' ? withdrawn(known, record.data.generation) : known,
      local,
    );
    const after = this.agents.journal(withoutPrograms, ...decided.records);
    const who = incarnationOf(side, local.agent.starts);
    return [
      {
        kind: STEP.fair,
        label: `${who}: asked after the restore, answers ${decided.answer}`,
        words: this.agents.words(after, side),
      },
    ];
  }
}

/** Between the claim and `go`. */
const isBeingStarted = (grip: Grip): boolean => grip === 'claimed' || grip === 'shim';

const stopNoted = (local: Local, generation: number): Local => {
  const entry = entryOf(local.entries, generation);
  const { stops } = local.agent;
  if (entry === undefined || itemAt(stops, generation - 1)) return local;
  if (!isOpen(entry) && !hasLeftovers(entry)) return local;
  return { ...local, agent: { ...local.agent, stops: withItem(stops, generation - 1, true) } };
};
