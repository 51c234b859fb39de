import { nothing, take, wait, type Incarnation, type Step } from '#kernel';
import { NEVER_STARTED, type Entry, type RunEntries } from './entry.state.js';

/**
 * What this incarnation holds of an entry beside its journal. Gone with the process: a restarted agent starts with `none`.
 *
 * none: of an earlier incarnation, or done · taken: journalled, to be claimed · claimed: the claim was acknowledged to
 * this incarnation · shim: the program waits behind its shim · go: `go` is journalled, not yet given · watching: given.
 */
export type Grip = 'none' | 'taken' | 'claimed' | 'shim' | 'go' | 'watching';

/** What was last seen of the entry's process group. */
export type Sighting = 'alive' | 'exited' | 'gone';

export interface EntryContext {
  readonly incarnation: Incarnation;
  readonly grip: Grip;
  /** A place among the node's concurrent runs is free (or held by this entry already). */
  readonly placeFree: boolean;
  readonly stopAsked: boolean;
  /** The agent ends: single-attempt work is ended with it, nothing new is started. */
  readonly shuttingDown: boolean;
  /** Its time limit passed. */
  readonly timeUp: boolean;
  /** The work goes on when the node-agent ends in order: its runtime says so, or it is an agent that was spawned. */
  readonly outlivesClient: boolean;
  /** Of an entry with `go`. */
  readonly sighting: Sighting;
}

export type EntryStep =
  | { readonly kind: 'claim' }
  | { readonly kind: 'startShim' }
  | { readonly kind: 'journalGo' }
  | { readonly kind: 'giveGo' }
  /** It outlived an earlier incarnation: watch it, with its output and exit. */
  | { readonly kind: 'adopt' }
  /** Journal that it will never start; its shim, if any, is let go without `go`. */
  | { readonly kind: 'close'; readonly reason: string }
  | { readonly kind: 'runLadder'; readonly by: 'stop' | 'time-limit' | 'shutdown' }
  /** The exit is there: journal how it ended. */
  | { readonly kind: 'journalExit' }
  /** Dead without an exit: journal that. */
  | { readonly kind: 'journalGone' }
  /** Tell `commands`, until it is acknowledged. */
  | { readonly kind: 'report' };

/** The one step that an entry needs now. Pure; after a restart, a frame, an answer, an exit, the agent asks here. */
export const nextEntry = (
  entry: Entry,
  run: RunEntries,
  context: EntryContext,
): Step<EntryStep> => {
  if (entry.phase === 'ended' && context.stopAsked && leftovers(entry))
    return take({ kind: 'runLadder', by: 'stop' });
  if (entry.phase === 'ended' || entry.phase === 'closed')
    return entry.reported ? nothing : take({ kind: 'report' });
  if (entry.phase === 'go') return nextOfStarted(entry, context);
  if (context.grip === 'none' || entry.incarnation !== context.incarnation)
    return take({ kind: 'close', reason: 'the agent that took it died before it was started' });
  if (context.stopAsked) return take({ kind: 'close', reason: 'stopped before it was started' });
  if (context.shuttingDown)
    return take({ kind: 'close', reason: 'the agent shuts down, and had not started it' });
  if (context.grip !== 'taken' && startedElsewhere(entry, run))
    return take({ kind: 'close', reason: 'another generation of it was started' });
  switch (context.grip) {
    case 'taken':
      return context.placeFree ? take({ kind: 'claim' }) : wait('a free place on the node');
    case 'claimed':
      return take({ kind: 'startShim' });
    case 'shim':
      return take({ kind: 'journalGo' });
    case 'go':
    case 'watching':
      return nothing; // Only with `go` in the journal, which is decided above.
  }
};

/** It ended, and something that it had started was still alive. */
export const leftovers = ({ end }: Entry): boolean =>
  end !== null && 'remains' in end.end && (end.end.remains?.length ?? 0) > 0;

/** `go` was decided, and its program ended without having been given it. */
export const ranNothing = ({ end }: Entry): boolean =>
  end?.end.how === 'failed' && end.end.code === NEVER_STARTED;

/** The prompt went out under another entry, or another program of this run is alive. */
const startedElsewhere = (entry: Entry, run: RunEntries): boolean =>
  (entry.frame?.kind === 'initial' && run.everStarted) ||
  run.entries.some((other) => other.generation !== entry.generation && other.phase === 'go');

const nextOfStarted = (entry: Entry, context: EntryContext): Step<EntryStep> => {
  if (context.grip === 'go' && entry.incarnation === context.incarnation)
    return context.stopAsked ? take({ kind: 'runLadder', by: 'stop' }) : take({ kind: 'giveGo' });
  if (context.sighting === 'exited') return take({ kind: 'journalExit' });
  // A stop of what is dead runs the ladder too: it proves that nothing of the group is left.
  if (context.stopAsked) return take({ kind: 'runLadder', by: 'stop' });
  if (context.sighting === 'gone') return take({ kind: 'journalGone' });
  if (context.timeUp) return take({ kind: 'runLadder', by: 'time-limit' });
  if (context.shuttingDown && !context.outlivesClient)
    return take({ kind: 'runLadder', by: 'shutdown' });
  return context.grip === 'watching' ? wait('the program to end') : take({ kind: 'adopt' });
};
