import { Memo, STEP, itemAt, wordAt, type Model, type Sink } from '../engine/index.js';
import { Accidents } from './accidents.js';
import { AgentShell } from './agent.js';
import type { RunState } from '#runs/domain';
import { AskShell, type AskMove } from './asks.js';
import { requestRunStop, resolveRun } from './commands.js';
import { Inbox } from './inbox.js';
import { INVARIANT_NAMES, RunJudge } from './invariants.js';
import {
  AT,
  FACT,
  JOURNALS,
  SIDES,
  WIDTH,
  currentJournal,
  epochOf,
  isLost,
  sideOf,
} from './layout.js';
import type { Side } from './layout.js';
import { Interners, freshAgent, freshEntries, noPrograms } from './memory.js';
import type { RunSetup } from './rules.js';
import { SagaShell, type SagaMove } from './saga.js';
import { Steps } from './steps.js';
import { RunSubject, type Outcome } from './subject.js';

/** One run with all that can happen to it. The rules are the project's; the shells around them perform one step each. */
export class RunModel implements Model {
  readonly width = WIDTH;
  readonly invariants = INVARIANT_NAMES;
  readonly #interners = new Interners();
  readonly #subject: RunSubject;
  readonly #steps: Steps;
  readonly #agents: AgentShell;
  readonly #asks: AskShell;
  readonly #inbox: Inbox;
  readonly #saga: SagaShell;
  readonly #accidents: Accidents;
  readonly #judge: RunJudge;
  readonly #operator = new Memo((run, facts) => this.#operatorMay(run, facts));
  readonly #sagaMoves: SagaMove[] = [];

  constructor(private readonly setup: RunSetup) {
    const interners = this.#interners;
    this.#subject = new RunSubject(setup.rules, interners);
    this.#judge = new RunJudge(setup.bounds, interners, this.#subject);
    this.#steps = new Steps(setup, interners, this.#subject, this.#judge);
    this.#agents = new AgentShell(setup, interners);
    this.#asks = new AskShell(setup, interners, this.#agents);
    this.#inbox = new Inbox(setup, interners, this.#subject, this.#agents, this.#steps);
    this.#saga = new SagaShell(setup, interners, this.#subject, this.#asks);
    this.#accidents = new Accidents(setup, interners, this.#agents);
  }

  get goals() {
    return this.#judge.goals;
  }

  init(into: Int32Array): void {
    const { bounds } = this.setup;
    const interners = this.#interners;
    const run = this.#subject.submitted(bounds.attempts);
    into.fill(0);
    into[AT.run] = run;
    into[AT.frames] = interners.frames.id([]);
    into[AT.entries] = into[AT.entries + 1] = interners.entries.id(freshEntries);
    into[AT.agent] = interners.agents.id(freshAgent('up', bounds.generations));
    into[AT.agent + 1] = interners.agents.id(freshAgent('down', bounds.generations));
    into[AT.programs] = into[AT.programs + 1] = interners.programs.id(
      noPrograms(bounds.generations),
    );
    into[AT.facts] =
      bounds.crashes |
      (bounds.replacement ? FACT.replaceable : 0) |
      (bounds.restore ? FACT.restorable : 0);
    interners.pasts.id([]);
    interners.early.id([]);
    into[AT.past] = bounds.restore ? interners.pasts.id([{ run, frames: 0 }]) : 0;
  }

  broken(state: Int32Array): number {
    return this.#judge.broken(state);
  }

  next(state: Int32Array, sink: Sink): void {
    this.#steps.from(state, sink);
    const facts = wordAt(state, AT.facts) & (FACT.stopAccepted | FACT.restored);
    for (const [label, outcome] of this.#operator.of(wordAt(state, AT.run), facts))
      this.#steps.append(STEP.choice, label, outcome, -1);
    this.#sagas(state);
    for (const side of SIDES) {
      if (side > currentJournal(wordAt(state, AT.facts))) continue;
      this.#node(state, side);
      this.#inbox.receive(state, side);
      this.#accidentsOf(state, side);
    }
    this.#restore(state);
    this.#replacement(state);
  }

  #operatorMay(run: number, facts: number): readonly (readonly [string, Outcome])[] {
    const stopped = (facts & FACT.stopAccepted) !== 0;
    const commands = [
      ...(stopped ? [] : [requestRunStop(epochOf(facts))]),
      resolveRun('abandoned'),
      // Refused with a stop recorded; without one it is what the operator says.
      ...(stopped ? [resolveRun('completed')] : []),
    ];
    return commands.flatMap((command) => {
      const outcome = this.#subject.decide(run, command);
      return outcome.answer === 'appended' ? [[`operator: ${command.type}`, outcome] as const] : [];
    });
  }

  #sagas(state: Int32Array): void {
    const run = wordAt(state, AT.run);
    const { staleSagas } = this.setup.bounds;
    const moves = this.#sagaMoves;
    this.#saga.moves(state, moves);
    if (!staleSagas)
      for (const move of moves) {
        const outcome = this.#subject.outcome(run, run, move.command);
        if (outcome.answer === 'appended')
          this.#steps.append(move.kind, `saga, ${move.label}`, outcome, -1);
      }
    for (const slot of [0, 1]) {
      const pending = this.#steps.pendings.at(wordAt(state, AT.pending + slot));
      if (pending === null) {
        if (staleSagas)
          for (const move of moves) this.#steps.decide(move.kind, move.label, slot, move.command);
        continue;
      }
      const outcome = this.#subject.outcome(pending.loaded, run, pending.command);
      const who = `saga ${slot + 1}`;
      if (outcome.answer === 'appended')
        this.#steps.append(STEP.fair, `${who} appends`, outcome, slot);
      else this.#steps.forget(STEP.fair, `${who} finds nothing to append`, slot);
      this.#steps.forget(STEP.fault, `${who} dies`, slot);
    }
  }

  #node(state: Int32Array, side: Side): void {
    const frames = wordAt(state, AT.frames);
    const entries = wordAt(state, AT.entries + side);
    const agent = wordAt(state, AT.agent + side);
    const facts = wordAt(state, AT.facts);
    for (const move of this.#agents.frames(frames, entries, agent, side)) this.#steps.move(move);
    for (const move of this.#agents.steps(state, side)) this.#steps.move(move);
    const run = this.#subject.at(wordAt(state, AT.run));
    for (const move of this.#asks.status.of(frames, entries, agent, side))
      this.#asked(move, run, 'status');
    for (const move of this.#asks.stop.of(frames, entries, agent, side))
      if ((facts & (FACT.stopSent << move.generation)) !== 0) this.#asked(move, run, 'stop');
    if ((facts & FACT.restored) === 0) return;
    if (run.status !== 'none' && run.claim !== null && sideOf(run.claim.journalId) === side)
      for (const move of this.#asks.ofUnknown.of(entries, agent, run.generation, side))
        this.#steps.move(move);
    const programs = wordAt(state, AT.programs + side);
    for (const move of this.#asks.closeOlder.of(entries, agent, programs, side))
      this.#steps.move(move);
  }

  /** Fair is only the question that the saga puts in this status; others come late. */
  #asked(move: AskMove, run: RunState, question: 'status' | 'stop'): void {
    const isCurrent = run.status !== 'none' && run.generation === move.generation;
    const isPut = isCurrent && questionOf(run) === question;
    this.#steps.move(isPut ? move : { ...move, kind: STEP.fault });
  }

  #accidentsOf(state: Int32Array, side: Side): void {
    const agent = wordAt(state, AT.agent + side);
    const programs = wordAt(state, AT.programs + side);
    const history = wordAt(state, AT.history);
    const facts = wordAt(state, AT.facts);
    const { runtime, exits, deaths } = this.#accidents;
    if (programs !== 0)
      for (const move of itemAt(runtime, side).of(
        wordAt(state, AT.entries + side),
        programs,
        wordAt(state, AT.received),
        history,
      ))
        this.#steps.move(move);
    for (const move of itemAt(exits, side).of(agent, programs, 0, history)) this.#steps.move(move);
    if ((facts & FACT.crashes) > 0)
      for (const move of itemAt(deaths, side).of(agent, programs, 0, history))
        this.#steps.move({ ...move, words: [...move.words, AT.facts, facts - 1] });
    const memory = this.#interners.agents.at(agent);
    if (memory.life !== 'down' || isLost(facts, side)) return;
    const up = this.#interners.agents.id({ ...memory, life: 'up', starts: memory.starts + 1 });
    const label = `${JOURNALS[side]}: the agent starts again`;
    this.#steps.move({ kind: STEP.repair, label, words: [AT.agent + side, up] });
  }

  /** Back to any commit, the newest included. What was concluded after it, and whom it was told, is forgotten. */
  #restore(state: Int32Array): void {
    const facts = wordAt(state, AT.facts);
    if ((facts & FACT.restorable) === 0) return;
    for (const { run, frames } of this.#interners.pasts.at(wordAt(state, AT.past))) {
      const fold = this.#subject.at(run);
      const stop = fold.status !== 'none' && fold.stop !== null ? FACT.stopAccepted : 0;
      const restored = (facts & ~FACT.restorable & ~FACT.stopAccepted) | FACT.restored | stop;
      const known = this.#steps.framesKnowing(wordAt(state, AT.frames), frames);
      const words = [AT.run, run, AT.frames, known, AT.facts, restored, AT.past, 0];
      this.#steps.move({
        kind: STEP.fault,
        label: `restore: the stream is back where the run was ${fold.status}`,
        words: [...words, AT.pending, 0, AT.pending + 1, 0],
      });
    }
  }

  #replacement(state: Int32Array): void {
    const facts = wordAt(state, AT.facts);
    if ((facts & FACT.replaceable) === 0) return;
    const second = wordAt(state, AT.agent + 1);
    const up = this.#interners.agents.id({ ...this.#interners.agents.at(second), life: 'up' });
    const joined = (facts & ~FACT.replaceable) | FACT.second;
    const first = this.#interners.agents.at(wordAt(state, AT.agent));
    const how: readonly (readonly [string, number])[] = [
      ['the first agent lives on unseen', joined],
      ...(first.life === 'down' ? [['its disk is gone', joined | FACT.lost] as const] : []),
    ];
    for (const [label, after] of how)
      this.#steps.move({
        kind: STEP.fault,
        label: `the node joins with its second journal: ${label}`,
        words: [AT.agent + 1, up, AT.facts, after],
      });
  }

  /** Every status that the run had in what was explored: nothing may hold for want of trying. */
  get statuses(): readonly string[] {
    return this.#subject.statuses;
  }
}

/** What a node is asked about a run that is open: to say how it stands, or to end it. */
const questionOf = (run: Exclude<RunState, { status: 'none' }>): 'status' | 'stop' | null => {
  if (run.status === 'stopping') return 'stop';
  if (run.status === 'unknown') return run.stop === null ? 'status' : 'stop';
  return run.status === 'dispatched' || run.status === 'running' ? 'status' : null;
};
