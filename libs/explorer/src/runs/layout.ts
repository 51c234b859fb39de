/**
 * Where the parts of a run's world stand in its packed state. Each word is the id of an interned value, or bits.
 * What belongs to a journal has two words, one for each of the two journals that one node id may have.
 */
export const AT = {
  /** The fold of the run's own stream. */
  run: 0,
  /** Every generation that was ever dispatched: its frame may arrive at any time from then on, and again. */
  frames: 1,
  /** Two replicas of the saga: what each has decided on what it loaded, and not yet appended. 0 = nothing. */
  pending: 2,
  /** What each journal holds of the run. */
  entries: 4,
  /** What each agent process holds in memory. */
  agent: 6,
  /** The programs that run, or ran, under each journal. */
  programs: 8,
  /** What the runtime itself knows of the turn: one of {@link HISTORY}. */
  history: 10,
  /** How often the runtime received the initial prompt; 2 stands for more. */
  received: 11,
  /** Budgets and small facts, see {@link FACT}. */
  facts: 12,
  /** The folds that a restore may go back to. */
  past: 13,
  /** Only for a negative control: reports that left before what they say was journalled. */
  early: 14,
} as const;
export const WIDTH = 15;

/** The turn in the runtime's own durable record, of a class that has one. */
export const HISTORY = { none: 0, progress: 1, interrupted: 2, finished: 3 } as const;

/** Bits of {@link AT.facts}. The lowest two count the crashes that are left. */
export const FACT = {
  crashes: 3,
  /** The journal may still be replaced. */
  replaceable: 4,
  /** The stream may still be restored. */
  restorable: 8,
  /** It was: the epoch is 2. */
  restored: 16,
  /** The node has joined with its second journal. */
  second: 32,
  /** The disk of the first journal is gone. */
  lost: 64,
  /** A stop was accepted, whatever the fold says. */
  stopAccepted: 128,
  /** Shifted by the generation: a stop was sent to the node, and may arrive at any time. */
  stopSent: 256,
} as const;

export const epochOf = (facts: number): number => ((facts & FACT.restored) === 0 ? 1 : 2);
export const currentJournal = (facts: number): Side => ((facts & FACT.second) === 0 ? 0 : 1);
export const isLost = (facts: number, side: Side): boolean =>
  side === 0 && (facts & FACT.lost) !== 0;

/** Which of the two journals. */
export type Side = 0 | 1;
export const SIDES: readonly Side[] = [0, 1];
export const JOURNALS = ['J1', 'J2'] as const;
export const sideOf = (journalId: string | undefined): Side => (journalId === JOURNALS[1] ? 1 : 0);

export const RUN_ID = 'run';
export const NODE_ID = 'node';
/** One start of the agent of a journal. */
export const incarnationOf = (side: Side, starts: number): string => `${JOURNALS[side]}.${starts}`;
