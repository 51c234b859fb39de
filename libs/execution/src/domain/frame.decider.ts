import type { AskRequest, Frame, WorkStanding } from '#contracts';
import type { Incarnation, Instant, JournalId } from '#kernel';
import type {
  EntryClosed,
  EpochRaised,
  FrameTaken,
  JournalEvent,
  WorkKind,
} from './entry.events.js';
import { ranNothing } from './entry.next.js';
import { entryOf, workOf, type Entry, type RunEntries } from './entry.state.js';

/** Who speaks for the journal. */
export interface JournalIdentity {
  readonly journalId: JournalId;
  readonly incarnation: Incarnation;
}

export type FrameDecision =
  | { readonly kind: 'take'; readonly record: FrameTaken }
  /** Refused for good: closed in the journal, so that an ask is answered and no later frame of it is taken. */
  | { readonly kind: 'refuse'; readonly record: EntryClosed }
  /** Of an agent that this journal started before a restore: its claim was forgotten, and what became of it is to be told. */
  | { readonly kind: 'forgotten' }
  /** Not this journal's, or seen before. */
  | { readonly kind: 'ignore'; readonly reason: string };

/**
 * What becomes of a frame. Check and write are one step in the journal: two frames of one run can't both pass.
 *
 * @param startingElsewhere another entry of this run is between its claim and `go` in this process.
 */
export const decideFrame = (
  run: RunEntries,
  frame: Frame,
  self: JournalIdentity,
  startingElsewhere: boolean,
  at: Instant,
): FrameDecision => {
  const { runId, generation } = frame;
  if (frame.journalId !== self.journalId)
    return { kind: 'ignore', reason: 'it names another journal' };
  const known = entryOf(run, generation);
  if (known !== undefined)
    return isForgotten(known, frame)
      ? { kind: 'forgotten' }
      : { kind: 'ignore', reason: 'it is journalled already' };
  const closing = { runId, generation, at, incarnation: self.incarnation, ...named(workOf(frame)) };
  const refuse = (reason: string): FrameDecision => ({
    kind: 'refuse',
    record: { type: 'EntryClosed', data: { ...closing, reason } },
  });
  if (frame.epoch < run.epochFloor) return refuse('it is of an epoch before the restore');
  if (frame.kind === 'initial' && run.everStarted)
    return refuse('this journal has started it before');
  if (frame.kind === 'initial' && startingElsewhere)
    return refuse('another generation of it is being started');
  return {
    kind: 'take',
    record: {
      type: 'FrameTaken',
      data: { runId, generation, at, incarnation: self.incarnation, frame },
    },
  };
};

/** The order was given anew, after a restore to a moment at which it had not been given. */
const isForgotten = (entry: Entry, frame: Frame): boolean =>
  workOf(frame) === 'spawn' &&
  entry.frame !== null &&
  entry.frame.epoch < frame.epoch &&
  (entry.phase === 'go' || (entry.phase === 'ended' && !ranNothing(entry)));

export interface AskDecision {
  readonly answer: WorkStanding;
  /** Written (fsync) before the answer leaves. */
  readonly records: readonly JournalEvent[];
  /** With `started`. */
  readonly started?: { readonly generation: number; readonly by: Incarnation };
}

/**
 * What the journal answers when it is asked about one generation; the caller checked that it is the journal named.
 *
 * @param beingStarted the entry is between its claim and `go` in this process.
 */
export const decideAsk = (
  run: RunEntries,
  ask: Pick<AskRequest, 'question' | 'work' | 'runId' | 'generation' | 'epoch' | 'holder'>,
  self: JournalIdentity,
  beingStarted: boolean,
  at: Instant,
): AskDecision => {
  if (ask.question === 'close-older-epochs') return closeOlderEpochs(run, ask.epoch, self, at);
  const { runId, generation } = ask;
  const entry = entryOf(run, generation);
  if (entry === undefined) {
    // Closed before the answer leaves: a late frame of this generation must not be taken after it.
    const incarnation = ask.holder ?? self.incarnation;
    const reason = 'it was asked about before its frame came';
    const data = { runId, generation, at, reason, incarnation, ...named(ask.work) };
    return { answer: 'never-seen', records: [{ type: 'EntryClosed', data }] };
  }
  return { answer: standingOf(entry, ask.question === 'stop', beingStarted), records: [] };
};

const standingOf = (entry: Entry, stop: boolean, beingStarted: boolean): WorkStanding => {
  switch (entry.phase) {
    case 'taken':
      return stop ? 'stopping' : beingStarted ? 'starting' : 'waiting';
    case 'shim':
      return stop ? 'stopping' : 'starting';
    case 'go':
      return stop ? 'stopping' : 'running';
    case 'ended':
      return 'ended';
    case 'closed':
      return 'closed';
  }
};

const closeOlderEpochs = (
  run: RunEntries,
  epoch: number,
  self: JournalIdentity,
  at: Instant,
): AskDecision => {
  const { runId } = run;
  const reason = 'a restore went back before it';
  // Closed whatever else was started: what was forgotten and not started must never start beside what follows.
  const closed = run.entries
    .filter((entry) => isUnstarted(entry) && (entry.frame?.epoch ?? 0) < epoch)
    .map(({ generation }): EntryClosed => ({
      type: 'EntryClosed',
      data: { runId, generation, at, reason, incarnation: self.incarnation },
    }));
  const raised: EpochRaised[] =
    run.epochFloor < epoch ? [{ type: 'EpochRaised', data: { runId, epoch, at } }] : [];
  const records = [...closed, ...raised];
  const started = run.entries.filter((entry) => entry.phase === 'go' || entry.phase === 'ended');
  const newest = started.at(-1);
  return newest === undefined
    ? { answer: 'closed', records }
    : {
        answer: 'started',
        records,
        started: { generation: newest.generation, by: newest.incarnation },
      };
};

const isUnstarted = (entry: Entry): boolean => entry.phase === 'taken' || entry.phase === 'shim';

/** Of a run nothing is said: that is what older records mean. */
const named = (work: WorkKind = 'run'): { readonly work?: WorkKind } =>
  work === 'run' ? {} : { work };
