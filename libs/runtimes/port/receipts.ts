import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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

/** The receipts that were appended since. A line that is still being written is left for the next call. */
export const readReceipts = async (workdir: string, after = 0): Promise<ReceiptsRead> => {
  const bytes = (await contentOf(join(workdir, RECEIPTS_FILE)))?.subarray(after);
  const end = (bytes?.lastIndexOf(0x0a) ?? -1) + 1;
  if (bytes === undefined || end === 0) return { receipts: [], after };
  const lines = bytes
    .subarray(0, end - 1)
    .toString('utf8')
    .split('\n');
  return { receipts: lines.map((line) => JSON.parse(line) as Receipt), after: after + end };
};

/** Text of the driver's outcome, or undefined while there is none. */
export const readOutcome = async (workdir: string): Promise<string | undefined> =>
  (await contentOf(join(workdir, OUTCOME_FILE)))?.toString('utf8');

const contentOf = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
