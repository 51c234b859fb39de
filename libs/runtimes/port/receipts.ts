import { join } from 'node:path';
import { readEvidence } from './evidence-file.js';

/**
 * Evidence of how far a prompt got, kept apart because one does not imply the next: a runtime may lose a turn that it
 * acknowledged. `sent` is written before the bytes leave, so it means *may have been sent*; `acked` means the runtime
 * answered; `observed` means the runtime showed the prompt in its own durable history.
 */
export interface Receipt {
  readonly kind: 'sent' | 'acked' | 'observed';
  /** By the driver's clock. Unit: milliseconds since 1970. */
  readonly at: number;
  /** Which prompt: the run's only one, or one that asks to go on after the runtime interrupted the turn. */
  readonly prompt: 'initial' | 'recovery';
  /** The key that the runtime was given. */
  readonly key: string;
  readonly thread?: string;
  readonly turn?: string;
}

/** In the work directory: one JSON object a line, appended by the driver. */
export const RECEIPTS_FILE = 'receipts.jsonl';
/** In the work directory: how the driver says the attempt ended, by write and rename. */
export const OUTCOME_FILE = 'outcome.json';

export interface ReceiptsRead {
  readonly receipts: readonly Receipt[];
  /** Bytes read so far: give it to the next call. */
  readonly after: number;
}

/** More receipts than any prompt leaves; what is beyond is read by the next call. */
const RECEIPTS_AT_A_TIME_MAX_BYTES = 16_777_216;
/** Larger than any outcome; a longer one is cut, and then is none. */
const OUTCOME_MAX_BYTES = 1_048_576;

/**
 * The receipts that were appended since. A line that is still being written is left for the next call; one that is no
 * receipt is passed over, because a program, or a loss of power, can leave anything there.
 */
export const readReceipts = async (workdir: string, after = 0): Promise<ReceiptsRead> => {
  const path = join(workdir, RECEIPTS_FILE);
  const bytes = await readEvidence(path, RECEIPTS_AT_A_TIME_MAX_BYTES, after);
  const end = (bytes?.lastIndexOf(0x0a) ?? -1) + 1;
  if (bytes === undefined || end === 0) return { receipts: [], after };
  const lines = bytes
    .subarray(0, end - 1)
    .toString('utf8')
    .split('\n');
  return { receipts: lines.flatMap(receiptsIn), after: after + end };
};

/** Text of the driver's outcome, or undefined while there is none. */
export const readOutcome = async (workdir: string): Promise<string | undefined> =>
  (await readEvidence(join(workdir, OUTCOME_FILE), OUTCOME_MAX_BYTES))?.toString('utf8');

const KINDS: readonly unknown[] = ['sent', 'acked', 'observed'] satisfies Receipt['kind'][];
const PROMPTS: readonly unknown[] = ['initial', 'recovery'] satisfies Receipt['prompt'][];

const receiptsIn = (line: string): readonly Receipt[] => {
  try {
    const value: unknown = JSON.parse(line);
    return isReceipt(value) ? [value] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
};

const isReceipt = (value: unknown): value is Receipt => {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, at, prompt, key, thread, turn } = value as Record<string, unknown>;
  return (
    KINDS.includes(kind) &&
    Number.isSafeInteger(at) &&
    Number(at) >= 0 &&
    PROMPTS.includes(prompt) &&
    typeof key === 'string' &&
    [thread, turn].every((name) => name === undefined || typeof name === 'string')
  );
};
