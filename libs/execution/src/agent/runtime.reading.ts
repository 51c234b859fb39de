import type { AttemptEnd as RuntimeEnd, Receipt, RuntimeReferences } from '#runtimes';
import type { AttemptEnd, Receipts } from '#runs/contract';

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
        ? { how: 'interrupted', reason: read.reason }
        : { how: 'lost', reason: read.reason, remains };
    case 'lost':
      return { how: 'lost', reason: read.reason, ...(remains.length > 0 && { remains }) };
    case 'not-started':
      return { how: 'failed', code: 'RUN_NEVER_STARTED', exitCode: null };
  }
};

/** The runtime's own names for the work, where it gave some. */
export const referencesOf = (read: RuntimeEnd): RuntimeReferences =>
  read.kind === 'not-started' ? {} : read.references;

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
    ...(thread === undefined ? {} : { thread }),
    ...(turn === undefined ? {} : { turn }),
  };
};
