import { RuleViolation } from '#kernel';
import { isSettled } from '#runs/contract';
import { initialRun, type RunCommand, type RunEvent, type RunState } from '#runs/domain';
import { Interner, Memo } from '../engine/index.js';
import { NODE_ID, RUN_ID, sideOf } from './layout.js';
import type { Dispatched, Interners } from './memory.js';
import type { RunRules } from './rules.js';

/** What a command came to, and what the world has to know of it beside the new fold. */
export interface Outcome {
  readonly answer: 'appended' | 'quiet' | 'refused';
  /** The fold after it. */
  readonly run: number;
  /** The events by name, and where they lead. */
  readonly label: string;
  readonly dispatched: Dispatched | null;
  /** The generation that is now held to be certainly not started. */
  readonly unsent: { readonly epoch: number; readonly generation: number } | null;
  readonly stopAccepted: boolean;
  /** The generation to whose node the stop goes. */
  readonly stopGoesTo: number | null;
  readonly completed: boolean;
  readonly stopped: boolean;
  /** A settled run has another status now. */
  readonly unsettled: boolean;
  /** Late evidence that shows a start of what was held to be unsent: a finding of the highest severity. */
  readonly alarm: boolean;
}

/** The run's subject: the project's own decide and evolve, each run once for each distinct input. */
export class RunSubject {
  readonly #folds = new Interner<RunState>();
  /** Loaded fold, current fold, command: they differ only where compare-and-set was taken out. */
  readonly #outcomes = new Memo((loaded, current, command) =>
    this.#decide(loaded, current, this.interners.commands.at(command)),
  );

  constructor(
    private readonly rules: Pick<RunRules, 'decideRun' | 'evolveRun'>,
    private readonly interners: Pick<Interners, 'commands'>,
  ) {}

  /** The fold of a run that nobody has submitted. */
  get unborn(): number {
    return this.#folds.id(initialRun(RUN_ID));
  }

  /** The fold of a run that was just submitted. */
  submitted(attempts: 'single' | 'resumable', opensSession = true): number {
    return this.decide(this.unborn, submit(attempts, opensSession)).run;
  }

  at(run: number): RunState {
    return this.#folds.at(run);
  }

  /** Entries of generations up to this one can change the run no more; 99: of none, it is settled. */
  generationsOver(run: number): number {
    const fold = this.at(run);
    if (fold.status === 'none') return 0;
    return isSettled(fold.status) ? 99 : fold.generation - 1;
  }

  get statuses(): readonly string[] {
    const all = Array.from({ length: this.#folds.size }, (_, fold) => this.at(fold).status);
    return [...new Set(all)].sort();
  }

  outcome(loaded: number, current: number, command: number): Outcome {
    return this.#outcomes.of(loaded, current, command);
  }

  decide(run: number, command: RunCommand): Outcome {
    return this.outcome(run, run, this.interners.commands.id(command));
  }

  #decide(loaded: number, current: number, command: RunCommand): Outcome {
    const before = this.at(current);
    const events = this.#eventsOf(command, this.at(loaded));
    if (typeof events === 'string') return unchanged('refused', current, events);
    if (events.length === 0) return unchanged('quiet', current, 'nothing new');
    const after = events.reduce<RunState>((run, event) => this.rules.evolveRun(run, event), before);
    return {
      answer: 'appended',
      run: this.#folds.id(forgetful(after)),
      label: `${events.map((event) => event.type).join(' + ')} -> ${after.status}`,
      dispatched: dispatchedBy(events),
      unsent: unsentBy(events, before),
      stopAccepted: events.some((event) => event.type === 'RunStopRequested'),
      stopGoesTo: stopGoesTo(after),
      completed: events.some((event) => event.type === 'RunCompleted'),
      stopped: events.some((event) => event.type === 'RunStopped'),
      unsettled: isSettled(before.status) && after.status !== before.status,
      alarm: events.some((event) => event.type === 'LateEvidenceRecorded' && event.data.showsStart),
    };
  }

  #eventsOf(command: RunCommand, run: RunState): readonly RunEvent[] | string {
    try {
      return this.rules.decideRun(command, run);
    } catch (error) {
      if (error instanceof RuleViolation) return error.code;
      throw error;
    }
  }
}

const unchanged = (answer: 'quiet' | 'refused', run: number, label: string): Outcome => ({
  answer,
  run,
  label,
  dispatched: null,
  unsent: null,
  stopAccepted: false,
  stopGoesTo: null,
  completed: false,
  stopped: false,
  unsettled: false,
  alarm: false,
});

/**
 * The fold without what no rule reads to change a state: texts, times of receipts, and which late evidence is recorded
 * already. Forgetting the last makes late evidence repeatable, which is more than can happen, never less.
 */
const forgetful = (run: RunState): RunState =>
  run.status === 'none'
    ? run
    : {
        ...run,
        receipts: {},
        receiptOf: 0,
        lateEvidence: [],
        // Which certainty a failure claims is judged; all other codes are words.
        code: run.code === NEVER_STARTED ? NEVER_STARTED : null,
        stop: run.stop && { stopId: run.stop.stopId, at: 0 },
        unknown: run.unknown && { code: 'RUN_OUTCOME_UNKNOWN', fenced: run.unknown.fenced },
      };

export const NEVER_STARTED = 'RUN_NEVER_STARTED';

const dispatchedBy = (events: readonly RunEvent[]): Dispatched | null => {
  for (const event of events)
    if (event.type === 'RunDispatched') {
      const { epoch, generation, kind, journalId } = event.data;
      return { epoch, generation, kind, side: sideOf(journalId), unsent: false };
    }
  return null;
};

/** Revoked, proven not started, or stopped as unclaimed: nobody may ever start it. */
const unsentBy = (events: readonly RunEvent[], before: RunState): Outcome['unsent'] => {
  if (before.status === 'none' || before.dispatch === null) return null;
  const { epoch } = before.dispatch;
  for (const event of events) {
    if (event.type === 'RunDispatchRevoked' || event.type === 'RunNotStarted')
      return { epoch, generation: event.data.generation };
    if (
      event.type === 'RunStopped' &&
      event.data.proof === 'unclaimed' &&
      before.status === 'dispatched'
    )
      return { epoch, generation: before.generation };
  }
  return null;
};

/** Told to the node while it is stopping, and told again whenever an unknown run with a stop recorded is asked about. */
const stopGoesTo = (after: RunState): number | null =>
  after.status !== 'none' &&
  after.stop !== null &&
  (after.status === 'stopping' || after.status === 'unknown')
    ? after.generation
    : null;

const submit = (attempts: 'single' | 'resumable', opensSession: boolean): RunCommand => ({
  type: 'SubmitRun',
  runId: RUN_ID,
  now: 0,
  sessionId: RUN_ID,
  opensSession,
  agent: 'agent',
  node: NODE_ID,
  runClass: {
    runtime: 'modelled',
    attempts,
    deduplicatesByKey: false,
    readBackByKey: attempts === 'resumable',
    interruptible: true,
    outlivesClient: attempts === 'resumable',
  },
  prompt: 'prompt',
  principal: 'somebody',
  fingerprint: 'fingerprint',
  epoch: 1,
});
