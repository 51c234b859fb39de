import { decideAsk, decideFrame, evolveEntries, nextEntry } from '#execution/domain';
import { decideRun, evolveRun } from '#runs/domain';
import { judgeJournals, nextRun } from '#runs/saga';

/** The project's own pure rules, as one bundle, so that a negative control can take one of them out. */
export interface RunRules {
  readonly decideRun: typeof decideRun;
  readonly evolveRun: typeof evolveRun;
  readonly nextRun: typeof nextRun;
  readonly judgeJournals: typeof judgeJournals;
  readonly decideFrame: typeof decideFrame;
  readonly decideAsk: typeof decideAsk;
  readonly evolveEntries: typeof evolveEntries;
  readonly nextEntry: typeof nextEntry;
}

export const RUN_RULES: RunRules = {
  decideRun,
  evolveRun,
  nextRun,
  judgeJournals,
  decideFrame,
  decideAsk,
  evolveEntries,
  nextEntry,
};

/** What is not decided by a pure function but by how things are wired: true everywhere but in negative controls. */
export interface RunShell {
  /** An append is refused when the run's subject has moved on since it was loaded. */
  readonly compareAndSet: boolean;
  /** The same for the claim alone. */
  readonly compareAndSetOfClaims: boolean;
  /** A program that waits for `go` leaves when its agent dies. */
  readonly shimDiesWithAgent: boolean;
  /** A question for one journal is not answered by another. */
  readonly onlyNamedJournalAnswers: boolean;
  /** Who is told to stop what is over says again how it ended, though that was acknowledged before. */
  readonly saysAgainWhenToldToStop: boolean;
  /** An entry is closed durably before anybody is told that it was not started. */
  readonly closesBeforeReporting: boolean;
}

export const RUN_SHELL: RunShell = {
  compareAndSet: true,
  compareAndSetOfClaims: true,
  shimDiesWithAgent: true,
  onlyNamedJournalAnswers: true,
  saysAgainWhenToldToStop: true,
  closesBeforeReporting: true,
};

/** How far the exploration goes. Everything else is unbounded: losses, repeats, delays, timeouts, questions. */
export interface RunBounds {
  readonly attempts: 'single' | 'resumable';
  /** 1 to 3. A run that is queued again after so many stays there. */
  readonly generations: number;
  /** 0 to 3 deaths: of an agent, of a machine, of a program. */
  readonly crashes: number;
  /** The node may come with a second journal: after its disk died, or while the first agent lives unseen. */
  readonly replacement: boolean;
  /** The stream may be restored once, to any earlier commit of the run. */
  readonly restore: boolean;
  /** Two replicas of the saga with a delay between decision and append; otherwise one that has none. */
  readonly staleSagas: boolean;
  /** An agent may be told to end (SIGTERM), which counts as a crash. */
  readonly shutdowns: boolean;
  /** A program may die while something that it had started lives on, which counts as a crash. */
  readonly orphans: boolean;
  /** The node declares a time limit for its runs, which may pass at any time. */
  readonly timeLimit: boolean;
}

export interface RunSetup {
  readonly bounds: RunBounds;
  readonly rules: RunRules;
  readonly shell: RunShell;
}
