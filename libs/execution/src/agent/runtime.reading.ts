import { REPORT_BOUNDS } from '#contracts';
import type {
  AttemptEnd as RuntimeEnd,
  InterruptionReason,
  LossReason,
  Receipt,
  RuntimeReferences,
} from '#runtimes';
import type { AttemptEnd, Receipts } from '#runs/contract';
import { NEVER_STARTED } from '../domain/index.js';

/**
 * The runtime port's reading, in the words of the protocol.
 *
 * @param remains what the program had started and is alive although it is gone: then nothing may be resumed beside it.
 */
export const endOf = (read: RuntimeEnd, remains: readonly string[]): AttemptEnd => {
  switch (read.kind) {
    case 'completed':
      return { how: 'completed', exitCode: read.exit?.code ?? 0 };
    case 'failed':
      return { how: 'failed', code: read.code, exitCode: read.exit?.code ?? null };
    case 'interrupted':
      return remains.length === 0
        ? { how: 'interrupted', reason: WORDS[read.reason] }
        : { how: 'lost', reason: WORDS[read.reason], remains };
    case 'lost':
      return { how: 'lost', reason: WORDS[read.reason], ...(remains.length > 0 && { remains }) };
    case 'not-started':
      return { how: 'failed', code: NEVER_STARTED, exitCode: null };
  }
};

/** Evidence is read by people: why something can't be known, or is not finished, as they say it. */
const WORDS: Readonly<Record<InterruptionReason | LossReason, string>> = {
  'exit-not-seen': 'its program ended, and nobody saw how',
  'not-in-history': 'the history of its runtime does not show the prompt',
  'recovery-not-in-history': 'the history of its runtime does not show that it was asked to go on',
  'runtime-cannot-be-asked': 'its runtime can not be asked what became of it',
  'malformed-outcome': 'what was left behind about its end can not be read',
  'client-died': 'what spoke to its runtime died without a word',
  'connection-lost': 'the connection to its runtime was lost after the prompt may have reached it',
  'runtime-unreachable': 'its runtime could not be reached',
  'turn-interrupted': 'its runtime says that it was interrupted',
  stopped: 'it was asked to stop, and its runtime says that it ended',
  'stop-unconfirmed': 'it was asked to stop, and its runtime did not confirm that',
};

/** How something ended, for people: goes on after "ended". */
export const sentenceOfEnd = (end: AttemptEnd): string => {
  switch (end.how) {
    case 'completed':
      return `with exit code ${end.exitCode}`;
    case 'failed':
      return end.exitCode === null ? `as ${end.code}` : `with exit code ${end.exitCode}`;
    case 'interrupted':
    case 'lost':
      return `unseen: ${end.reason}`;
    case 'killed':
      return BY_WHOM[end.by];
  }
};

const BY_WHOM: Readonly<Record<Extract<AttemptEnd, { how: 'killed' }>['by'], string>> = {
  stop: 'by a stop',
  'time-limit': 'by its time limit',
  shutdown: 'by the shutdown of its node',
};

/** Whether the runtime itself told that it works on the turn no more. */
export const saysThatItEnded = (read: RuntimeEnd): boolean => {
  switch (read.kind) {
    case 'completed':
    case 'failed':
    case 'not-started':
      return true;
    case 'interrupted':
      return read.reason === 'stopped' || read.reason === 'turn-interrupted';
    case 'lost':
      return false;
  }
};

/** The runtime's own names for the work, where it gave some. */
export const referencesOf = (read: RuntimeEnd): RuntimeReferences =>
  read.kind === 'not-started' ? {} : referencesIn(read.references.thread, read.references.turn);

/** A name that is too long is left out, since a part of it would be another name. */
const referencesIn = (thread: string | undefined, turn: string | undefined): RuntimeReferences => ({
  ...(fits(thread) && { thread }),
  ...(fits(turn) && { turn }),
});

const fits = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && Buffer.byteLength(name) <= REPORT_BOUNDS.referenceBytesMax;

/**
 * What may go on, as a report names it: processes, the first ones and how many more there are.
 *
 * @param others what is no process of ours; a few.
 */
export const namedRemains = (
  alive: readonly { readonly pid: number }[],
  others: readonly string[] = [],
): readonly string[] => {
  const all = [...others, ...alive.map(({ pid }) => String(pid))];
  if (all.length <= REPORT_BOUNDS.remainsMax) return all;
  const named = all.slice(0, REPORT_BOUNDS.remainsMax - 1);
  return [...named, `${String(all.length - named.length)} more`];
};

/** The earliest time of each kind, and the newest names that the runtime gave. */
export const summarised = (receipts: readonly Receipt[]): Receipts => {
  const first = (kind: Receipt['kind']): { readonly [key: string]: number } => {
    const receipt = receipts.find((candidate) => candidate.kind === kind);
    return receipt === undefined ? {} : { [kind]: receipt.at };
  };
  const thread = receipts.findLast((receipt) => receipt.thread !== undefined)?.thread;
  const turn = receipts.findLast((receipt) => receipt.turn !== undefined)?.turn;
  return {
    ...first('sent'),
    ...first('acked'),
    ...first('observed'),
    ...referencesIn(thread, turn),
  };
};
