import type { ClaimAnswer, ReportAnswer } from '#contracts';
import type { Receipts } from '#runs/contract';
import type { Entry } from '../domain/index.js';
import type { EntryRecords } from './entry.records.js';
import {
  retryDelayMs,
  type CommandReply,
  type NodeCommands,
  type Self,
  type Timers,
} from './ports.js';

/**
 * What is asked and told of one entry, in the words of what it stands for: a run, or an agent that is spawned. Each report
 * is named so that a repeat is recognised.
 */
export interface EntryReporter {
  /** May this incarnation start it? */
  claim(): Promise<CommandReply<ClaimAnswer>>;
  /** `go` was given. What is told on the way is told while it is `still` so, and waits for no answer. */
  started(still: () => boolean): void;
  /** It lives: an earlier incarnation started it, or somebody asks. */
  lives(still: () => boolean): void;
  receipts(receipts: Receipts, still: () => boolean): void;
  /** How it ended, or that it was never started: what the journal holds, and nothing else. */
  outcome(entry: Entry): Promise<CommandReply<ReportAnswer>>;
}

/** Of what a reporter speaks, and to whom. */
export interface ReporterSurroundings {
  readonly commands: NodeCommands;
  readonly timers: Timers;
  readonly self: Self;
  readonly records: EntryRecords;
  readonly trace: () => string | undefined;
  readonly onTrouble: (trouble: unknown) => void;
}

/** How `commands` refuses what it can't take as it was said. */
export const MALFORMED = 'invalid_request';

/**
 * Says something until it is answered, or is so no longer.
 *
 * @param triesMax after so many more tries it is given up.
 * @returns the answer; `no-answer` when it was given up.
 */
export const sayUntilAnswered = async <Value>(
  say: () => Promise<CommandReply<Value>>,
  still: () => boolean,
  timers: Timers,
  triesMax: number,
): Promise<CommandReply<Value>> => {
  for (let tries = 0; still(); tries += 1) {
    const reply = await say();
    if (reply.kind !== 'no-answer' || tries >= triesMax) return reply;
    await new Promise<void>((due) => timers.after(retryDelayMs(tries), due));
  }
  return { kind: 'no-answer' };
};

/** Why a claim was refused; null when it was granted. */
export const refusalOf = (
  reply: Exclude<CommandReply<ClaimAnswer>, { readonly kind: 'no-answer' }>,
): string | null => {
  if (reply.kind === 'refused') return reply.code;
  return reply.value.claim === 'refused' ? reply.value.reason : null;
};
