import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES, isSettled } from '#runs/contract';
import { entryOf, type RunEntries } from '#execution/domain';
import { Memo, wordAt, type Goal } from '../engine/index.js';
import { AT, FACT, SIDES, isLost, sideOf } from './layout.js';
import { hasLeftovers, wasStarted, type Interners } from './memory.js';
import type { RunBounds } from './rules.js';
import { NEVER_STARTED, type RunSubject } from './subject.js';

/** What must never happen, in words for the report. The order is the order of the bits. */
export const RUN_INVARIANTS = {
  I1: 'the initial prompt is received twice',
  I2: 'a settled run changes',
  I3: 'a run whose stop was accepted completes',
  I4: 'a generation that was held to be certainly unsent is started',
  I5: 'two live programs of one run',
  I6: 'a run is dispatched after its stop was accepted',
  I7: 'the highest alarm is raised over a start that nobody had excluded',
  I8: 'a run completes although its prompt was never received',
  I9: 'an attempt is counted that did not end',
  I10: 'a run is failed as never started, and its prompt was received',
  I11: 'a run is stopped while a program of it lives',
  I12: 'a run that was started is queued for another initial prompt',
} as const;
export const RUN_GOALS = {
  L1: 'an open run cannot reach an end or unknown',
  L2: 'an unknown run whose journal is there and knows cannot be settled or fenced',
} as const;
export const RUN_PROPERTIES: Readonly<Record<string, string>> = { ...RUN_INVARIANTS, ...RUN_GOALS };
export type RunInvariant = keyof typeof RUN_INVARIANTS;
export type RunProperty = RunInvariant | keyof typeof RUN_GOALS;

/** All that a run can be once it exists. */
export const EVERY_STATUS: readonly string[] = [
  ...OPEN_RUN_STATUSES,
  ...SETTLED_RUN_STATUSES,
  'none',
].sort();

const NAMES = Object.keys(RUN_INVARIANTS) as RunInvariant[];
export const INVARIANT_NAMES: readonly string[] = NAMES;
export const INVARIANT_BIT = Object.fromEntries(
  NAMES.map((name, index) => [name, 1 << index]),
) as Readonly<Record<RunInvariant, number>>;

/** Judges a state by what the world is, not by what the fold says of it. */
export class RunJudge {
  readonly #live = new Memo(
    (programs) =>
      this.interners.programs
        .at(programs)
        .filter((one) => one === 'given' || one === 'working' || one === 'orphaned').length,
  );
  readonly #endedIn = new Memo(
    (entries) =>
      this.interners.entries.at(entries).entries.filter((entry) => entry.phase === 'ended').length,
  );
  readonly #unsentStarted = new Memo((frames, entries, programs) =>
    this.#startedThoughUnsent(frames, entries, programs) ? 1 : 0,
  );

  constructor(
    private readonly bounds: RunBounds,
    private readonly interners: Interners,
    private readonly subject: RunSubject,
  ) {}

  broken(state: Int32Array): number {
    let broken = wordAt(state, AT.received) > 1 ? INVARIANT_BIT.I1 : 0;
    const run = this.subject.at(wordAt(state, AT.run));
    if (run.status === 'completed' && (wordAt(state, AT.facts) & FACT.stopAccepted) !== 0)
      broken |= INVARIANT_BIT.I3;
    if (run.status !== 'none' && run.attemptsEnded > this.#ended(state)) broken |= INVARIANT_BIT.I9;
    if (run.status === 'failed' && run.code === NEVER_STARTED && wordAt(state, AT.received) > 0)
      broken |= INVARIANT_BIT.I10;
    const again = run.status === 'queued' || run.status === 'dispatched';
    if (again && run.attemptsEnded === 0 && wordAt(state, AT.received) > 0 && !isRestored(state))
      broken |= INVARIANT_BIT.I12;
    for (const side of SIDES) {
      const programs = wordAt(state, AT.programs + side);
      if (programs === 0) continue; // None was ever started there.
      const entries = wordAt(state, AT.entries + side);
      if (this.#unsentStarted.of(wordAt(state, AT.frames), entries, programs) === 1)
        broken |= INVARIANT_BIT.I4;
    }
    return this.live(state) > 1 ? broken | INVARIANT_BIT.I5 : broken;
  }

  /** Programs that have `go` and have not ended. */
  live(state: Int32Array): number {
    const [first, second] = [wordAt(state, AT.programs), wordAt(state, AT.programs + 1)];
    return (first === 0 ? 0 : this.#live.of(first)) + (second === 0 ? 0 : this.#live.of(second));
  }

  /** Entries whose end stands in a journal. */
  #ended(state: Int32Array): number {
    return (
      this.#endedIn.of(wordAt(state, AT.entries)) + this.#endedIn.of(wordAt(state, AT.entries + 1))
    );
  }

  get goals(): readonly Goal[] {
    return [
      {
        name: 'L1',
        stuck: RUN_GOALS.L1,
        need: (state) => !this.#endedOrUnknown(state),
        goal: (state) => this.#endedOrUnknown(state),
      },
      {
        name: 'L2',
        stuck: RUN_GOALS.L2,
        need: (state) => this.#isKnownByItsJournal(state),
        goal: (state) => this.#settledOrFenced(state),
      },
    ];
  }

  #startedThoughUnsent(frames: number, entries: number, programs: number): boolean {
    const unsent = this.interners.frames.at(frames).filter((frame) => frame.unsent);
    if (unsent.length === 0) return false;
    const journal = this.interners.entries.at(entries);
    return this.interners.programs
      .at(programs)
      .some(
        (program, index) =>
          wasStarted(program) &&
          unsent.some(
            ({ generation, epoch }) =>
              generation === index + 1 && epoch === epochOfEntry(journal, generation),
          ),
      );
  }

  #endedOrUnknown(state: Int32Array): boolean {
    const run = this.subject.at(wordAt(state, AT.run));
    return isSettled(run.status) || run.status === 'unknown' || this.#atTheBound(state);
  }

  /** Also: found to hang on a journal that is lost, which only an operator can end. */
  #settledOrFenced(state: Int32Array): boolean {
    const run = this.subject.at(wordAt(state, AT.run));
    if (isSettled(run.status) || this.#atTheBound(state)) return true;
    if (run.status !== 'unknown') return false;
    const side = sideOf(run.claim?.journalId);
    return run.unknown?.fenced === true || isLost(wordAt(state, AT.facts), side);
  }

  /** It would be dispatched again, which the bounds don't allow. */
  #atTheBound(state: Int32Array): boolean {
    const run = this.subject.at(wordAt(state, AT.run));
    return run.status === 'queued' && run.generation >= this.bounds.generations;
  }

  #isKnownByItsJournal(state: Int32Array): boolean {
    const run = this.subject.at(wordAt(state, AT.run));
    if (run.status !== 'unknown' || run.claim === null) return false;
    const side = sideOf(run.claim.journalId);
    if (isLost(wordAt(state, AT.facts), side)) return false;
    const entries = this.interners.entries.at(wordAt(state, AT.entries + side));
    const entry = entryOf(entries, run.generation);
    // While something of it may be alive, only a stop or an operator ends it.
    return entry !== undefined && !hasLeftovers(entry);
  }
}

const epochOfEntry = (entries: RunEntries, generation: number): number =>
  entryOf(entries, generation)?.frame?.epoch ?? 1;

const isRestored = (state: Int32Array): boolean => (wordAt(state, AT.facts) & FACT.restored) !== 0;
