import { decideRun, evolveRun, isOver } from '#runs/domain';
import { nextRun } from '#runs/saga';
import { decideSession, evolveSession } from '#sessions/domain';
import { nextSession } from '#sessions/saga';

/** The project's own pure rules of sessions, and of the runs in them. */
export interface SessionRules {
  readonly decideSession: typeof decideSession;
  readonly evolveSession: typeof evolveSession;
  readonly nextSession: typeof nextSession;
  readonly decideRun: typeof decideRun;
  readonly evolveRun: typeof evolveRun;
  readonly nextRun: typeof nextRun;
  /** A run's place may be given away. */
  readonly isOver: typeof isOver;
}

export const SESSION_RULES: SessionRules = {
  decideSession,
  evolveSession,
  nextSession,
  decideRun,
  evolveRun,
  nextRun,
  isOver,
};

/** Who is woken by what, and from where they read: true everywhere but in negative controls. */
export interface SessionShell {
  /** An append is refused when the session's subject has moved on since it was loaded. */
  readonly compareAndSet: boolean;
  /** After a run got its place in the order, somebody looks at the session. */
  readonly looksAfterQueued: boolean;
  /** After the place was given to a run, somebody looks at that run, and at the session again. */
  readonly looksAfterAdvanced: boolean;
  /** After a run is over, somebody looks at its session. */
  readonly looksAfterSettled: boolean;
  /** What is looked at is the newest there is. */
  readonly readsFromLeader: boolean;
  /** Whoever accepted a run and died before it got its place in the order is replaced. */
  readonly sagaMakesSecondCommit: boolean;
}

export const SESSION_SHELL: SessionShell = {
  compareAndSet: true,
  looksAfterQueued: true,
  looksAfterAdvanced: true,
  looksAfterSettled: true,
  readsFromLeader: true,
  sagaMakesSecondCommit: true,
};

/** How far the exploration goes: one that opened the session and two that name it; two writers that may die or lose. */
export interface SessionBounds {
  readonly attempts: 'single' | 'resumable';
  /** Generations of one run: 1 or 2. */
  readonly generations: number;
  /** How many of the three may be stopped. */
  readonly stops: number;
}

export interface SessionSetup {
  readonly bounds: SessionBounds;
  readonly rules: SessionRules;
  readonly shell: SessionShell;
}
