import type { Instant } from '#kernel';
import type { SessionPlaces } from '#sessions/contract';
import type { SubmitRun } from '../domain/index.js';

export const RUN_ID = '0190b5a4-7f2c-5d3e-9a1b-0c2d3e4f5a6b';
export const JOURNAL = 'journal-1';
export const INCARNATION = 'incarnation-1';

/** How the node behaves. */
export interface NodeBehaviour {
  /** It takes frames from this generation on. */
  readonly takesFrom: number;
  /** What it does once it has started: ends at its next turn, or never again says a word. */
  readonly afterStart: 'completes' | 'dies';
  /** Whether its lease lives. */
  readonly lease: 'alive' | 'expired';
  /** What its journal knows of a start that the stream forgot. */
  readonly forgottenStart?: { readonly generation: number };
}

/** What happened before the saga is woken for the first time. */
export interface Scenario {
  readonly before: readonly ('claimed' | 'stop' | 'restore')[];
  readonly node: NodeBehaviour;
}

export const submission = (now: Instant): SubmitRun => ({
  type: 'SubmitRun',
  runId: RUN_ID,
  now,
  sessionId: RUN_ID,
  opensSession: true,
  agent: 'echo',
  node: 'n1',
  runClass: {
    runtime: 'cli',
    attempts: 'single',
    deduplicatesByKey: false,
    readBackByKey: false,
    interruptible: true,
    outlivesClient: false,
  },
  prompt: 'Hello',
  principal: 'user:ada',
  fingerprint: 'v1:x',
  epoch: 1,
});

export const LEASE = {
  journalId: JOURNAL,
  incarnation: INCARNATION,
  recovering: false,
  openCount: 0,
  openHash: '',
  running: 0,
  maxRuns: 1,
  waiting: 0,
};

export const NOBODY_WAITS: SessionPlaces = {
  checkRoom: async () => undefined,
  enqueue: async () => undefined,
  standing: async () => 'admitted',
};
