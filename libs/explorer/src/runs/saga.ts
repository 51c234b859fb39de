import type { ExistingRun, RunCommand, RunState } from '#runs/domain';
import type { JournalAnswer, RunContext, RunStep } from '#runs/saga';
import { Memo, STEP, itemAt, wordAt, type StepKind } from '../engine/index.js';
import type { AskShell } from './asks.js';
import { AFTER_ALL, dispatchRun, recordOutcomeUnknown, revokeDispatch } from './commands.js';
import {
  AT,
  FACT,
  JOURNALS,
  SIDES,
  currentJournal,
  epochOf,
  isLost,
  sideOf,
  type Side,
} from './layout.js';
import type { Interners } from './memory.js';
import type { RunSetup } from './rules.js';
import type { RunSubject } from './subject.js';

/** What the saga would append now, having loaded the run, asked `nextRun`, and put the question that it names. */
export interface SagaMove {
  readonly kind: StepKind;
  readonly label: string;
  readonly command: number;
}

const WINDOWS = { dispatchMs: 1, receiptMs: 1, repeatMs: 1 } as const;

/** What a step of `nextRun` comes to. */
interface Prepared {
  readonly step: RunStep;
  /** Whose journal is asked. */
  readonly named: Side;
  /** What follows, or follows from its silence. Null: nothing, or it depends on what journals answer. */
  readonly move: SagaMove | null;
  /** The same, where the silence is not the journal's: its answer was not heard. Null: no question was put. */
  readonly unheard: SagaMove | null;
}

/** The shell of the saga: performs the steps that the project's `nextRun` names, in every context that there may be. */
export class SagaShell {
  readonly #prepared = new Memo((run, facts) => this.#prepare(this.subject.at(run), facts));
  /** Of a run from before a restore; `runAndFacts`: run * 4, the node's second journal, the first one lost. */
  readonly #afterRestore = new Memo((runAndFacts, first, second, able) =>
    this.#askJournals(runAndFacts, [first, second], able),
  );

  constructor(
    private readonly setup: RunSetup,
    private readonly interners: Interners,
    private readonly subject: RunSubject,
    private readonly asks: AskShell,
  ) {}

  /** Puts every move that may be made now into `into`. */
  moves(state: Int32Array, into: SagaMove[]): void {
    into.length = 0;
    const facts = wordAt(state, AT.facts);
    const run = wordAt(state, AT.run);
    for (const { step, named, move, unheard } of this.#prepared.of(
      run,
      facts & (FACT.restored | FACT.second),
    )) {
      if (step.kind === 'askToClose' || step.kind === 'askAllJournals')
        into.push(...this.#afterRestore.of(...this.#situation(state)));
      else if (move !== null)
        into.push(unheard === null || this.#isSilent(step, named, state) ? move : unheard);
    }
  }

  /** Before and after every deadline; in doubt and not; with a node that seems alive or silent, whatever it is. */
  #prepare(run: RunState, facts: number): readonly Prepared[] {
    const steps = new Map<string, Prepared>();
    for (const now of [0, AFTER_ALL])
      for (const doubt of [null, 'something contradicts it'])
        for (const liveness of ['alive', 'silent'] as const) {
          const context: RunContext = {
            now,
            epoch: epochOf(facts),
            admitted: true,
            node: { liveness, journalId: JOURNALS[currentJournal(facts)], accepting: true },
            doubt,
            framePublished: true, // The frame of whatever was dispatched may arrive at any time.
            lastAnsweredAt: null,
            windows: WINDOWS,
          };
          const next = this.setup.rules.nextRun(run, context);
          if (next.kind !== 'take') continue;
          const { kind } = next.step;
          const key = kind === 'ask' ? kind : JSON.stringify(next.step);
          steps.set(key, this.#perform(next.step, run, epochOf(facts)));
        }
    return [...steps.values()];
  }

  #perform(step: RunStep, run: RunState, epoch: number): Prepared {
    const base: Prepared = { step, named: 0, move: null, unheard: null };
    if (run.status === 'none') return base;
    const named = sideOf((run.claim ?? run.dispatch)?.journalId);
    switch (step.kind) {
      case 'publishFrame':
      case 'askAgain': // The answer is a report of the node; silence changes nothing.
      case 'askToClose': // Depends on what the journals answer.
      case 'askAllJournals':
        return { ...base, named };
      case 'dispatch': {
        if (step.generation > this.setup.bounds.generations) return base;
        const side = sideOf(step.journalId);
        const command = dispatchRun(step.generation, side, epoch, false);
        return { ...base, move: this.#take(STEP.fair, `dispatch to ${step.journalId}`, command) };
      }
      case 'askWhetherWaiting': {
        const command = revokeDispatch(step.generation, epoch, false);
        return {
          ...base,
          named,
          ...this.#unanswered('the node does not say that it waits', command),
        };
      }
      case 'ask':
      case 'sendStop': {
        const holder = run.claim?.incarnation ?? null;
        const command = recordOutcomeUnknown(step.generation, named, holder, epoch);
        return { ...base, named, ...this.#unanswered(`no answer to ${step.kind}`, command) };
      }
    }
  }

  /** Nobody is there to answer, or what is answered comes to the same. */
  #isSilent(step: RunStep, named: Side, state: Int32Array): boolean {
    if (!this.#canAnswer(state, named)) return true;
    if (step.kind !== 'askWhetherWaiting') return false;
    const { answer } = this.asks.answers.of(
      wordAt(state, AT.entries + named),
      wordAt(state, AT.agent + named),
      step.generation,
      named,
    );
    // Never seen: it is closed before that is said, and the next answer is `closed`.
    return answer !== 'waiting' && answer !== 'never-seen';
  }

  #situation(state: Int32Array): [number, number, number, number] {
    const facts = wordAt(state, AT.facts);
    const bits = currentJournal(facts) + (isLost(facts, 0) ? 2 : 0);
    const able = (this.#canAnswer(state, 0) ? 1 : 0) + (this.#canAnswer(state, 1) ? 2 : 0);
    return [
      wordAt(state, AT.run) * 4 + bits,
      wordAt(state, AT.entries),
      wordAt(state, AT.entries + 1),
      able,
    ];
  }

  /** Every journal answers, or is not heard: each combination is a move, and fair is the one in which all are heard. */
  #askJournals(runAndFacts: number, entries: readonly number[], able: number): readonly SagaMove[] {
    const run = this.subject.at(runAndFacts >> 2);
    if (run.status === 'none') return [];
    const current: Side = (runAndFacts & 1) === 0 ? 0 : 1;
    const asked: readonly Side[] =
      run.status === 'queued'
        ? SIDES.filter((side) => side <= current)
        : [sideOf(run.dispatch?.journalId)];
    const all = asked.reduce<number>((sum, side) => sum | (able & (1 << side)), 0);
    const heardSets = [0, 1, 2, 3].filter((heard) => (heard & ~all) === 0);
    return heardSets.flatMap((heard): readonly SagaMove[] => {
      const answers = asked.map((side) =>
        this.#answerOf(side, current, itemAt(entries, side), heard),
      );
      const command = answers.includes(null)
        ? null
        : this.#afterAnswers(
            run,
            current,
            answers.filter((answer) => answer !== null),
          );
      if (command === null) return [];
      return heard === all
        ? [{ kind: STEP.fair, label: 'asks the journals', command }]
        : [{ kind: STEP.fault, label: 'asks the journals, not all are heard', command }];
    });
  }

  /** Null: what it would say must be journalled first, and is said when it is. */
  #answerOf(side: Side, current: Side, entries: number, heard: number): JournalAnswer | null {
    const base = { journalId: JOURNALS[side], replaced: side !== current };
    if ((heard & (1 << side)) === 0) return { ...base, answer: 'none' };
    const decided = this.asks.answersToClose.of(entries, 0, 0, side);
    if (decided.records.length > 0) return null;
    if (decided.started === undefined) return { ...base, answer: 'closed' };
    const { generation, by } = decided.started;
    return { ...base, answer: { generation, startedBy: by } };
  }

  #afterAnswers(run: ExistingRun, current: Side, answers: readonly JournalAnswer[]): number | null {
    const verdict = this.setup.rules.judgeJournals(run, answers);
    const named = sideOf(run.dispatch?.journalId);
    switch (verdict.kind) {
      case 'unknown': {
        const { generation, journalId, incarnation, because } = verdict;
        const { generations } = this.setup.bounds;
        if (because === 'journal-lost' && generation > generations) return null;
        return this.#unknown(generation, sideOf(journalId), incarnation);
      }
      case 'wait':
        return run.status === 'queued' ? null : this.#unknown(run.generation, named, null);
      case 'nothing-forgotten': {
        const { commands } = this.interners;
        const { generation } = run;
        if (run.status === 'dispatched')
          return commands.named(`revoke/${generation}`, () =>
            revokeDispatch(generation, RESTORED, true),
          );
        if (generation >= this.setup.bounds.generations) return null;
        return commands.named(`dispatch/${generation}/${current}`, () =>
          dispatchRun(generation + 1, current, RESTORED, true),
        );
      }
    }
  }

  #unknown(generation: number, side: Side, incarnation: string | null): number {
    return this.interners.commands.named(`unknown/${generation}/${side}/${incarnation ?? ''}`, () =>
      recordOutcomeUnknown(generation, side, incarnation, RESTORED),
    );
  }

  #canAnswer(state: Int32Array, side: Side): boolean {
    if (isLost(wordAt(state, AT.facts), side)) return false;
    return this.interners.agents.at(wordAt(state, AT.agent + side)).life === 'up';
  }

  #unanswered(label: string, command: RunCommand): Pick<Prepared, 'move' | 'unheard'> {
    return {
      move: this.#take(STEP.fair, label, command),
      unheard: this.#take(STEP.fault, `${label} (unheard)`, command),
    };
  }

  #take(kind: StepKind, label: string, command: RunCommand): SagaMove {
    return { kind, label, command: this.interners.commands.id(command) };
  }
}

/** The epoch after the one restore that there may be. */
const RESTORED = 2;
