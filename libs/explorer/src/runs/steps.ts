import { Interner, Memo, wordAt, type Sink, type StepKind } from '../engine/index.js';
import { INVARIANT_BIT, type RunJudge } from './invariants.js';
import { AT, FACT, SIDES } from './layout.js';
import { withoutWhatIsOver, type Dispatched, type Interners, type Past } from './memory.js';
import { RUN_RULES, RUN_SHELL, type RunSetup } from './rules.js';
import type { Outcome, RunSubject } from './subject.js';

/** Some words of the state and what they become: index, value, index, value, … */
export type Words = readonly number[];
export const NO_WORDS: Words = [];

/** A step that appends nothing. */
export interface Move {
  readonly kind: StepKind;
  readonly label: string;
  readonly words: Words;
}

/** What a saga's replica loaded, and what it decided to append on it. */
interface Pending {
  readonly loaded: number;
  readonly command: number;
}

/** Writes the successors of one state. Every append to the run's subject goes through here. */
export class Steps {
  readonly pendings = new Interner<Pending | null>();
  #state: Int32Array = new Int32Array(0);
  #sink: Sink = { to: new Int32Array(0), step: () => undefined };
  readonly #tidied = new Memo((entries, generation) =>
    this.interners.entries.id(withoutWhatIsOver(this.interners.entries.at(entries), generation)),
  );
  /** Forgetting needs every rule: what is over would matter if one were missing. */
  readonly #intact: boolean;
  readonly #withFrame = new Memo((frames, code) => this.#addFrame(frames, code));
  readonly #withUnsent = new Memo((frames, code) => this.#markUnsent(frames, code));
  readonly #knowing = new Memo((frames, past) => this.#forgetConclusions(frames, past));
  readonly #withPast = new Memo((past, run, frames) => this.#addPast(past, { run, frames }));

  constructor(
    private readonly setup: RunSetup,
    private readonly interners: Interners,
    private readonly subject: RunSubject,
    private readonly judge: RunJudge,
  ) {
    this.#intact = setup.rules === RUN_RULES && setup.shell === RUN_SHELL;
    this.pendings.id(null); // Id 0 is: nothing is pending.
  }

  from(state: Int32Array, sink: Sink): void {
    this.#state = state;
    this.#sink = sink;
  }

  move({ kind, label, words }: Move): void {
    const { to } = this.#sink;
    to.set(this.#state);
    set(to, words);
    this.#step(kind, label, '', 0);
  }

  /** @param slot whose append it is, among the sagas' replicas; -1 = not a saga's. */
  append(
    kind: StepKind,
    label: string,
    outcome: Outcome,
    slot: number,
    words: Words = NO_WORDS,
  ): void {
    const { to } = this.#sink;
    const before = wordAt(this.#state, AT.facts);
    to.set(this.#state);
    set(to, words);
    to[AT.run] = outcome.run;
    this.#settlePending(to, slot);
    let facts = before;
    if (outcome.stopAccepted) facts |= FACT.stopAccepted;
    if (outcome.stopGoesTo !== null) facts |= FACT.stopSent << outcome.stopGoesTo;
    to[AT.facts] = facts;
    if (outcome.dispatched !== null)
      to[AT.frames] = this.#withFrame.of(wordAt(to, AT.frames), codeOf(outcome.dispatched));
    if (outcome.unsent !== null)
      to[AT.frames] = this.#withUnsent.of(wordAt(to, AT.frames), codeOfUnsent(outcome.unsent));
    if ((facts & FACT.restorable) !== 0)
      to[AT.past] = this.#withPast.of(wordAt(to, AT.past), outcome.run, wordAt(to, AT.frames));
    this.#step(kind, label, outcome.label, this.#brokenBy(outcome, before));
  }

  /** A replica of the saga has loaded the run and decided; the append comes later. */
  decide(kind: StepKind, label: string, slot: number, command: number): void {
    const { to } = this.#sink;
    const loaded = wordAt(this.#state, AT.run);
    to.set(this.#state);
    to[AT.pending + slot] = this.pendings.id({ loaded, command });
    sortPending(to);
    this.#sink.step(kind, `saga ${slot + 1} decides, ${label}`, '', 0);
  }

  /** It died, or lost against another append: its decision is gone. */
  forget(kind: StepKind, label: string, slot: number): void {
    const { to } = this.#sink;
    to.set(this.#state);
    to[AT.pending + slot] = 0;
    sortPending(to);
    this.#sink.step(kind, label, '', 0);
  }

  #step(kind: StepKind, label: string, detail: string, broken: number): void {
    const { to } = this.#sink;
    if (this.#intact && (wordAt(to, AT.facts) & FACT.restorable) === 0) {
      const over = this.subject.generationsOver(wordAt(to, AT.run));
      if (over > 0)
        for (const side of SIDES)
          to[AT.entries + side] = this.#tidied.of(wordAt(to, AT.entries + side), over);
    }
    this.#sink.step(kind, label, detail, broken);
  }

  #settlePending(to: Int32Array, slot: number): void {
    const { compareAndSet, compareAndSetOfClaims } = this.setup.shell;
    if (compareAndSet && compareAndSetOfClaims) {
      // All others were decided on a fold that is no longer the newest: they are refused, and load again.
      to[AT.pending] = 0;
      to[AT.pending + 1] = 0;
    } else if (slot >= 0) {
      to[AT.pending + slot] = 0;
      sortPending(to);
    }
  }

  #brokenBy(outcome: Outcome, facts: number): number {
    let broken = 0;
    if (outcome.unsettled) broken |= INVARIANT_BIT.I2;
    if (outcome.dispatched !== null && (facts & FACT.stopAccepted) !== 0)
      broken |= INVARIANT_BIT.I6;
    // After a restore a start that the stream forgot is worth the alarm.
    if (outcome.alarm && (facts & FACT.restored) === 0) broken |= INVARIANT_BIT.I7;
    if (outcome.stopped && this.judge.live(this.#state) > 0) broken |= INVARIANT_BIT.I11;
    if (outcome.completed && wordAt(this.#state, AT.received) === 0) broken |= INVARIANT_BIT.I8;
    return broken;
  }

  #addFrame(frames: number, code: number): number {
    const known = this.interners.frames.at(frames);
    const added = dispatchedOf(code);
    if (known.some((other) => codeOf(other) === code)) return frames;
    const all = [...known, added].sort((one, other) => codeOf(one) - codeOf(other));
    return this.interners.frames.id(all);
  }

  #markUnsent(frames: number, code: number): number {
    const marked = this.interners.frames
      .at(frames)
      .map((known) => (codeOfUnsent(known) === code ? { ...known, unsent: true } : known));
    return this.interners.frames.id(marked);
  }

  #addPast(past: number, added: Past): number {
    const known = this.interners.pasts.at(past);
    if (known.some((other) => other.run === added.run && other.frames === added.frames))
      return past;
    const all = [...known, added].sort(
      (one, other) => one.run - other.run || one.frames - other.frames,
    );
    return this.interners.pasts.id(all);
  }

  /** All that was ever dispatched, with only those conclusions that stand in an earlier state of the stream. */
  framesKnowing(frames: number, past: number): number {
    return this.#knowing.of(frames, past);
  }

  #forgetConclusions(frames: number, past: number): number {
    const concluded = this.interners.frames.at(past).filter(({ unsent }) => unsent);
    const all = this.interners.frames.at(frames).map((frame) => ({
      ...frame,
      unsent: concluded.some((other) => codeOf(other) === codeOf(frame)),
    }));
    return this.interners.frames.id(all);
  }
}

const set = (to: Int32Array, words: Words): void => {
  for (let i = 0; i < words.length; i += 2) {
    const index = words[i];
    if (index !== undefined) to[index] = words[i + 1] ?? 0;
  }
};

/** The two replicas are alike: which of them decided what makes no difference. */
const sortPending = (to: Int32Array): void => {
  const first = wordAt(to, AT.pending);
  const second = wordAt(to, AT.pending + 1);
  if (first <= second) return;
  to[AT.pending] = second;
  to[AT.pending + 1] = first;
};

const codeOfUnsent = (of: { readonly epoch: number; readonly generation: number }): number =>
  of.epoch * 8 + of.generation;

const codeOf = (of: Dispatched): number =>
  codeOfUnsent(of) * 4 + (of.kind === 'resume' ? 2 : 0) + of.side;

const dispatchedOf = (code: number): Dispatched => ({
  epoch: code >> 5,
  generation: (code >> 2) & 7,
  kind: (code & 2) === 0 ? 'initial' : 'resume',
  side: (code & 1) === 0 ? 0 : 1,
  unsent: false,
});
