import { isSettled, type AttemptEnd } from '#runs/contract';
import type { RunCommand, RunState } from '#runs/domain';
import { Memo, STEP, type StepKind } from '../engine/index.js';
import {
  AFTER_ALL,
  dispatchRun,
  recordOutcomeUnknown,
  requestRunStop,
  resolveRun,
} from '../runs/commands.js';
import { JOURNALS, RUN_ID } from '../runs/layout.js';
import type { RunSubject } from '../runs/subject.js';
import type { SessionSetup } from './session.rules.js';

export interface LifeMove {
  readonly kind: StepKind;
  readonly label: string;
  readonly after: number;
  /** It is a stop, of which there is a budget. */
  readonly stop: boolean;
}

/**
 * The life of one run as its session sees it: the project's own rules, with a node that may report anything of the
 * current generation at any time, in any order, also what contradicts itself.
 */
export class RunLives {
  #settled: number | null = null;
  readonly #moves = new Memo((fold) => this.#movesOf(fold));
  readonly #over = new Memo((fold) => (this.setup.rules.isOver(this.subject.at(fold)) ? 1 : 0));
  readonly #dispatched = new Memo((fold, admitted) => this.#dispatch(fold, admitted === 1));

  constructor(
    private readonly setup: SessionSetup,
    private readonly subject: RunSubject,
  ) {}

  get opener(): number {
    return this.subject.submitted(this.setup.bounds.attempts, true);
  }

  get statuses(): readonly string[] {
    return this.subject.statuses;
  }

  get unborn(): number {
    return this.subject.unborn;
  }

  exists(fold: number): boolean {
    return this.subject.at(fold).status !== 'none';
  }

  isQueued(fold: number): boolean {
    return this.subject.at(fold).status === 'queued';
  }

  isOver(fold: number): boolean {
    return this.#over.of(fold) === 1;
  }

  moves(fold: number): readonly LifeMove[] {
    return this.#moves.of(fold);
  }

  /** Dispatched and claimed, if its saga finds that it needs that; else null. */
  dispatched(fold: number, admitted: boolean): number | null {
    return this.#dispatched.of(fold, admitted ? 1 : 0);
  }

  #dispatch(fold: number, admitted: boolean): number | null {
    const run = this.subject.at(fold);
    const next = this.setup.rules.nextRun(run, {
      now: AFTER_ALL,
      epoch: 1,
      admitted,
      node: { liveness: 'alive', journalId: JOURNALS[0], accepting: true },
      doubt: null,
      framePublished: true,
      lastAnsweredAt: null,
      windows: { dispatchMs: 1, receiptMs: 1, repeatMs: 1 },
    });
    if (next.kind !== 'take' || next.step.kind !== 'dispatch') return null;
    const { generation } = next.step;
    if (generation > this.setup.bounds.generations) return null;
    const dispatched = this.subject.decide(fold, dispatchRun(generation, 0, 1, false)).run;
    const claim = { ...ofGeneration(generation), type: 'ClaimRun', epoch: 1 } as const;
    return this.subject.decide(dispatched, claim).run;
  }

  #movesOf(fold: number): readonly LifeMove[] {
    const run = this.subject.at(fold);
    if (run.status === 'none') {
      const after = this.subject.submitted(this.setup.bounds.attempts, false);
      return [{ kind: STEP.choice, label: 'RunSubmitted', after, stop: false }];
    }
    if (isSettled(run.status)) return [];
    return commandsFor(run, this.setup.bounds.generations).flatMap(([kind, command]) => {
      const outcome = this.subject.decide(fold, command);
      if (outcome.run === fold) return [];
      const stop = command.type === 'RequestRunStop';
      return [{ kind, label: outcome.label, after: this.#alike(outcome.run), stop }];
    });
  }

  /** To its session, one settled run is like another. */
  #alike(fold: number): number {
    if (!isSettled(this.subject.at(fold).status)) return fold;
    this.#settled ??= fold;
    return this.#settled;
  }
}

const ofGeneration = (generation: number) => ({
  runId: RUN_ID,
  now: 0,
  generation,
  journalId: JOURNALS[0],
  incarnation: 'J1.0',
});

const ENDS: readonly (readonly [StepKind, AttemptEnd])[] = [
  [STEP.fair, { how: 'completed', exitCode: 0 }],
  [STEP.fault, { how: 'failed', code: 'AGENT_EXITED', exitCode: 1 }],
  [STEP.fault, { how: 'lost', reason: 'gone' }],
  [STEP.fault, { how: 'interrupted', reason: 'gone' }],
  [STEP.fault, { how: 'killed', by: 'time-limit', remains: [] }],
];

const commandsFor = (
  run: Exclude<RunState, { status: 'none' }>,
  generationsMax: number,
): readonly (readonly [StepKind, RunCommand])[] => {
  const { generation } = run;
  const base = { ...ofGeneration(generation), epoch: 1 };
  const output = { bytes: 0, sha256: '', truncated: false };
  // Whatever would be dispatched again past the bound is left out.
  const again = generation < generationsMax;
  const ends = ENDS.filter(([, end]) => end.how !== 'interrupted' || again).map(
    ([kind, end]) =>
      [kind, { ...base, type: 'ReportEnd', end, output, receipts: {} } as const] as const,
  );
  return [
    [STEP.choice, requestRunStop(1)],
    [STEP.choice, resolveRun('abandoned')],
    [STEP.fault, recordOutcomeUnknown(generation, 0, 'J1.0', 1)],
    [STEP.fault, { ...base, type: 'ReportRunning', evidence: 'alive' }],
    ...(again
      ? [[STEP.fault, { ...base, type: 'ReportNotStarted', disproves: 'J1.0', proof: '' }] as const]
      : []),
    ...ends,
  ];
};
