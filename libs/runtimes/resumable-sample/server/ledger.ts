import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { LedgerLine } from '../protocol.js';

export type LedgerEntry = Pick<LedgerLine, 'kind'> &
  Partial<Pick<LedgerLine, 'thread' | 'turn' | 'clientId' | 'steered'>> & {
    readonly promptText?: string;
  };

/**
 * The witness outside of everything that gets killed: what reached the runtime, on the disk before any answer. Only appended
 * to, a line at a time, so that several processes can share it.
 */
export class Ledger {
  #count: number;

  constructor(private readonly path: string) {
    this.#count = readLedger(path).length;
  }

  write({ kind, thread, turn, clientId, steered, promptText }: LedgerEntry): void {
    this.#count += 1;
    const line: LedgerLine = {
      n: this.#count,
      kind,
      thread: thread ?? null,
      turn: turn ?? null,
      clientId: clientId ?? null,
      prompt: promptText === undefined ? null : promptHash(promptText),
      steered: steered ?? false,
      at: Date.now(),
      pid: process.pid,
    };
    const file = openSync(this.path, 'a', 0o600);
    try {
      writeSync(file, `${JSON.stringify(line)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}

export const promptHash = (prompt: string): string =>
  createHash('sha256').update(prompt).digest('hex');

/** All whole lines of a ledger; none when there is no ledger yet. */
export const readLedger = (path: string): readonly LedgerLine[] => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LedgerLine);
};
