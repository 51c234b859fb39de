import { readFile } from 'node:fs/promises';

/** What the agents of a test wrote down themselves, outside of everything that is killed. */
export interface LedgerLine {
  readonly kind: 'initial' | 'end' | 'recovery' | 'readback' | 'interrupt';
  /** `<run id>/<generation>`; of the resumable runtime, the key that it was given: the run's id. */
  readonly work: string;
  readonly pid: number;
  readonly at: number;
}

export const readLedger = async (path: string): Promise<readonly LedgerLine[]> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerLine);
};

/** How often a run's initial prompt was received. */
export const initialsOf = (ledger: readonly LedgerLine[], runId: string): number =>
  ledger.filter(({ kind, work }) => kind === 'initial' && work.split('/')[0] === runId).length;
