import { knowsRun } from '#sessions/domain';
import { STEP, wordAt, type Goal, type Model, type Sink, type StepKind } from '../engine/index.js';
import { Interner } from '../engine/index.js';
import { Interners } from '../runs/memory.js';
import { RunSubject } from '../runs/subject.js';
import { SESSION_GOALS, SESSION_INVARIANTS } from './session.invariants.js';
import {
  AT,
  RUNS,
  RUN_IDS,
  TASK,
  WIDTH,
  digitsOf,
  indexOf,
  withDigit,
  type RunIndex,
} from './session.layout.js';
import { RunLives } from './session.lives.js';
import type { SessionSetup } from './session.rules.js';
import { SessionSubject, type SessionOutcome } from './session.subject.js';

/** What a writer has loaded, and decided to append on it. */
interface Writing {
  readonly loaded: number;
  readonly command: number;
  /** The wake-up that is handled when it is appended; 0 = none. */
  readonly task: number;
}

/** One session with three runs: who is admitted when, who is woken by what, and what a stop in the queue does. */
export class SessionModel implements Model {
  readonly width = WIDTH;
  readonly invariants = Object.keys(SESSION_INVARIANTS);
  readonly #writings = new Interner<Writing | null>();
  readonly #session: SessionSubject;
  readonly #lives: RunLives;
  #state: Int32Array = new Int32Array(0);
  #sink: Sink = { to: new Int32Array(0), step: () => undefined };

  constructor(private readonly setup: SessionSetup) {
    this.#session = new SessionSubject(setup.rules);
    this.#lives = new RunLives(setup, new RunSubject(setup.rules, new Interners()));
    this.#writings.id(null); // Id 0 is: nothing is written.
  }

  /** Every status that one of the runs had. */
  get statuses(): readonly string[] {
    return this.#lives.statuses;
  }

  get goals(): readonly Goal[] {
    const accepted = (state: Int32Array): readonly RunIndex[] =>
      RUNS.filter((run) => this.#lives.exists(wordAt(state, AT.runs + run)));
    const open = (state: Int32Array): boolean =>
      accepted(state).some((run) => !this.#isOver(state, run));
    return [{ name: 'L1', stuck: SESSION_GOALS.L1, need: open, goal: (state) => !open(state) }];
  }

  init(into: Int32Array): void {
    into.fill(0);
    into[AT.runs] = this.#lives.opener;
    into[AT.runs + 1] = into[AT.runs + 2] = this.#lives.unborn;
    into[AT.session] = this.#session.empty;
    into[AT.tasks] = TASK.run;
    into[AT.admitted] = withDigit(0, 0);
    into[AT.stopsLeft] = this.setup.bounds.stops;
  }

  broken(state: Int32Array): number {
    const admitted = digitsOf(wordAt(state, AT.admitted));
    const order = [0, ...digitsOf(wordAt(state, AT.order))];
    const holders = RUNS.filter((run) => admitted.includes(run) && !this.#isOver(state, run));
    return (
      (holders.length > 1 ? 1 : 0) |
      (admitted.some((run, at) => order[at] !== run) ? 2 : 0) |
      (new Set(admitted).size < admitted.length ? 4 : 0)
    );
  }

  next(state: Int32Array, sink: Sink): void {
    this.#state = state;
    this.#sink = sink;
    for (const run of RUNS) this.#run(run);
    for (const writer of [0, 1]) this.#writer(writer);
  }

  /** What becomes of a run by itself, its node, or its operator. */
  #run(run: RunIndex): void {
    const fold = wordAt(this.#state, AT.runs + run);
    const stopsLeft = wordAt(this.#state, AT.stopsLeft);
    for (const { kind, label, after, stop } of this.#lives.moves(fold)) {
      if (stop && stopsLeft === 0) continue;
      const { to } = this.#sink;
      to.set(this.#state);
      this.#become(to, run, after);
      if (stop) to[AT.stopsLeft] = stopsLeft - 1;
      this.#sink.step(kind, `${RUN_IDS[run]}: ${label}`, '', 0);
    }
  }

  /** A commit of the run wakes its saga; one that makes it over, its session's. */
  #become(to: Int32Array, run: RunIndex, after: number): void {
    const overBefore = this.#lives.isOver(wordAt(to, AT.runs + run));
    to[AT.runs + run] = after;
    let tasks = wordAt(to, AT.tasks);
    // Its other commits wake its saga too, and find nothing that concerns the session.
    if (this.#lives.isQueued(after)) tasks |= TASK.run << run;
    if (this.#lives.isOver(after) && !overBefore) tasks |= TASK.settled;
    to[AT.tasks] = tasks;
  }

  #writer(writer: number): void {
    const writing = this.#writings.at(wordAt(this.#state, AT.writers + writer));
    if (writing !== null) {
      this.#append(writer, writing);
      this.#drop(writer, STEP.fault, `writer ${writer + 1} dies`);
      return;
    }
    if (writer === 1 && wordAt(this.#state, AT.writers) === 0) return; // They are alike.
    for (const run of RUNS) this.#handler(writer, run);
    for (const task of [TASK.queued, TASK.advanced, TASK.settled]) this.#look(writer, task);
    for (const run of RUNS) this.#lookAtRun(writer, run);
  }

  /** Whoever accepted a run that names the session makes its second commit, unless it dies before. */
  #handler(writer: number, run: RunIndex): void {
    const fold = wordAt(this.#state, AT.runs + run);
    if (run === 0 || !this.#lives.exists(fold) || this.#isKnown(run)) return;
    this.#queue(writer, run, 0, STEP.choice);
  }

  #queue(writer: number, run: RunIndex, task: number, kind: StepKind): void {
    const session = wordAt(this.#state, AT.session);
    const active = this.#session.active(session);
    const command = this.#session.queueRun(run, active, this.#readsOver(active));
    this.#write(writer, kind, { loaded: session, command, task });
  }

  /** A wake-up of the session's saga: the session is read, then its active run. */
  #look(writer: number, task: number): void {
    if ((wordAt(this.#state, AT.tasks) & task) === 0) return;
    const session = wordAt(this.#state, AT.session);
    const active = this.#session.active(session);
    const looks = this.#isHeeded(task);
    const next = this.setup.rules.nextSession(this.#session.at(session), {
      activeOver: this.#readsOver(active),
    });
    if (looks && next.kind === 'take') {
      const { released } = next.step;
      const base = { sessionId: RUN_IDS[0], now: 0 } as const;
      const command = this.#session.command({ type: 'AdvanceSession', ...base, released });
      this.#write(writer, STEP.fair, { loaded: session, command, task });
    } else this.#done(task, looks && task !== TASK.settled ? active : null, 'nothing to advance');
    if (looks && !this.setup.shell.readsFromLeader)
      this.#done(task, null, 'a follower shows nothing to do');
  }

  #isHeeded(task: number): boolean {
    const { shell } = this.setup;
    if (task === TASK.queued) return shell.looksAfterQueued;
    return task === TASK.advanced ? shell.looksAfterAdvanced : shell.looksAfterSettled;
  }

  /** A wake-up of the run's saga: is it admitted, and what does it need then? */
  #lookAtRun(writer: number, run: RunIndex): void {
    const task = TASK.run << run;
    if ((wordAt(this.#state, AT.tasks) & task) === 0) return;
    const fold = wordAt(this.#state, AT.runs + run);
    const isWaiting = this.#lives.isQueued(fold);
    if (isWaiting && !this.#isKnown(run) && this.setup.shell.sagaMakesSecondCommit) {
      this.#queue(writer, run, task, STEP.fair);
      return;
    }
    const admitted = run === 0 || this.#session.active(wordAt(this.#state, AT.session)) === run;
    const dispatched = this.#lives.dispatched(fold, admitted);
    if (dispatched === null) {
      this.#done(task, null, `${RUN_IDS[run]} needs nothing`);
      return;
    }
    const { to } = this.#sink;
    to.set(this.#state);
    to[AT.tasks] = wordAt(to, AT.tasks) & ~task;
    to[AT.runs + run] = dispatched;
    this.#sink.step(STEP.fair, `${RUN_IDS[run]}: dispatched and claimed`, '', 0);
  }

  /** @param wake the run that holds the place, told that it does. */
  #done(task: number, wake: RunIndex | null, why: string): void {
    const { to } = this.#sink;
    to.set(this.#state);
    const woken = wake === null ? 0 : TASK.run << wake;
    to[AT.tasks] = (wordAt(to, AT.tasks) & ~task) | woken;
    this.#sink.step(STEP.fair, `wake-up ${nameOf(task)}: ${why}`, '', 0);
  }

  #write(writer: number, kind: StepKind, writing: Writing): void {
    const { to } = this.#sink;
    to.set(this.#state);
    to[AT.writers + writer] = this.#writings.id(writing);
    sortWriters(to);
    const name = this.#session.nameOf(writing.command);
    this.#sink.step(kind, `writer ${writer + 1} decides`, name, 0);
  }

  #drop(writer: number, kind: StepKind, label: string): void {
    const { to } = this.#sink;
    to.set(this.#state);
    to[AT.writers + writer] = 0;
    sortWriters(to);
    this.#sink.step(kind, label, '', 0);
  }

  #append(writer: number, { loaded, command, task }: Writing): void {
    const { to } = this.#sink;
    const current = wordAt(this.#state, AT.session);
    const outcome = this.#session.outcome(loaded, current, command);
    to.set(this.#state);
    to[AT.tasks] = wordAt(to, AT.tasks) & ~task;
    to[AT.writers + writer] = 0;
    if (outcome.event !== null) this.#record(to, outcome);
    sortWriters(to);
    this.#sink.step(STEP.fair, `writer ${writer + 1} appends`, outcome.label, 0);
  }

  #record(to: Int32Array, { session, event }: SessionOutcome): void {
    to[AT.session] = session;
    // Whoever decided on the session as it was is refused, and its wake-up comes again.
    if (this.setup.shell.compareAndSet) to[AT.writers] = to[AT.writers + 1] = 0;
    if (event?.type === 'SessionRunQueued') {
      const run = indexOf(event.data.runId);
      to[AT.tasks] = wordAt(to, AT.tasks) | TASK.queued;
      to[AT.order] = withDigit(wordAt(to, AT.order), run);
      if (event.data.admitted) to[AT.admitted] = withDigit(wordAt(to, AT.admitted), run);
    } else if (event !== null) {
      to[AT.tasks] = wordAt(to, AT.tasks) | TASK.advanced;
      to[AT.admitted] = withDigit(wordAt(to, AT.admitted), indexOf(event.data.admitted));
    }
  }

  #isKnown(run: RunIndex): boolean {
    return knowsRun(this.#session.at(wordAt(this.#state, AT.session)), RUN_IDS[run]);
  }

  #readsOver(run: RunIndex): boolean {
    return this.#isOver(this.#state, run);
  }

  #isOver(state: Int32Array, run: RunIndex): boolean {
    return this.#lives.isOver(wordAt(state, AT.runs + run));
  }
}

const nameOf = (task: number): string =>
  task === TASK.queued
    ? 'after SessionRunQueued'
    : task === TASK.advanced
      ? 'after SessionAdvanced'
      : task === TASK.settled
        ? 'after a settlement'
        : 'of a run';

const sortWriters = (to: Int32Array): void => {
  const [first, second] = [wordAt(to, AT.writers), wordAt(to, AT.writers + 1)];
  if (first >= second) return;
  to[AT.writers] = second;
  to[AT.writers + 1] = first;
};
