import type { Behaviours } from '../behaviours.js';

/** How the sample runtime's server is started. */
export interface ServerOptions {
  /** Threads are kept here; several servers may share it, as several processes of a real runtime do. */
  readonly dataDir: string;
  /** Path of the unix socket, at most about 100 bytes. */
  readonly socket: string;
  /** Default: `ledger.jsonl` in the data folder. */
  readonly ledger?: string;
  readonly behaviours?: Partial<Behaviours>;
  /** Ends when its standard input ends, after its turns. */
  readonly exitWithStdin?: boolean;
}
