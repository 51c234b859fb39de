import type { TurnView } from '../protocol.js';

/** A turn of this run, as the runtime's history shows it. */
export interface OurTurn extends Pick<TurnView, 'thread' | 'turn' | 'status' | 'answer'> {
  /** Under which key it was asked for: the run's, or a recovery's. */
  readonly key: string;
}

/** What the runtime says about a run. Only looked at behind the fence: otherwise a living turn may look interrupted. */
export type History =
  /** Another process of the runtime works in the thread. */
  | { readonly kind: 'active-elsewhere' }
  /** It can't find turns by our key, and we know no other name of them. */
  | { readonly kind: 'cannot-ask' }
  /** Ours, oldest first. */
  | { readonly kind: 'turns'; readonly turns: readonly OurTurn[] };

export type ResumeStep =
  | { readonly kind: 'wait' }
  /** Finished: take its answer, send nothing. */
  | { readonly kind: 'copy'; readonly turn: OurTurn }
  /** Still at work: follow it, send nothing. */
  | { readonly kind: 'attach'; readonly turn: OurTurn }
  /** The runtime interrupted it: ask once to go on, in the same thread. */
  | { readonly kind: 'recover'; readonly turn: OurTurn; readonly key: string }
  | {
      readonly kind: 'lost';
      readonly reason: 'not-in-history' | 'recovery-not-in-history' | 'runtime-cannot-be-asked';
    };

/**
 * What a resumption does. The initial prompt is nowhere in sight: what the history does not show is lost, never "never
 * received", because a runtime may have lost what it acknowledged, with all that its tools did by then.
 *
 * @param recoveriesSent keys of recoveries that earlier attempts may have sent: the history must know them all before another goes.
 */
export const nextOfResume = (
  runId: string,
  history: History,
  recoveriesSent: readonly string[],
): ResumeStep => {
  switch (history.kind) {
    case 'active-elsewhere':
      return { kind: 'wait' };
    case 'cannot-ask':
      return { kind: 'lost', reason: 'runtime-cannot-be-asked' };
    case 'turns':
      return nextOfTurns(runId, history.turns, recoveriesSent);
  }
};

const nextOfTurns = (
  runId: string,
  turns: readonly OurTurn[],
  recoveriesSent: readonly string[],
): ResumeStep => {
  const newest = turns.at(-1);
  if (newest === undefined) return { kind: 'lost', reason: 'not-in-history' };
  if (recoveriesSent.some((key) => !turns.some((turn) => turn.key === key)))
    return { kind: 'lost', reason: 'recovery-not-in-history' };
  switch (newest.status) {
    case 'running':
      return { kind: 'attach', turn: newest };
    case 'completed':
    case 'failed':
      return { kind: 'copy', turn: newest };
    case 'interrupted': {
      const recoveries = turns.filter(({ key }) => key !== runId).length;
      return { kind: 'recover', turn: newest, key: recoveryKey(runId, recoveries + 1) };
    }
  }
};

export const recoveryKey = (runId: string, number: number): string => `${runId}:recovery:${number}`;
export const isRecoveryKey = (runId: string, key: string): boolean =>
  key.startsWith(`${runId}:recovery:`);
