import type { RuntimeReferences } from '#runtimes';
import type { Behaviours } from '../behaviours.js';

/** In the work directory: what the driver is to do. Written by the launcher, from the adapter's plan. */
export const ORDER_FILE = 'order.json';
/** Seen from the folder that the launcher starts the driver in: where its order lies, and its evidence belongs. */
export const WORK_DIRECTORY = '..';

export interface DriverOrder {
  /** Also the key of the initial prompt. */
  readonly runId: string;
  readonly ask:
    | { readonly kind: 'initial'; readonly prompt: string }
    | { readonly kind: 'resume'; readonly references: RuntimeReferences };
  readonly earlierWorkdirs: readonly string[];
  readonly server:
    /** Runs on its own, whoever speaks to it. */
    | { readonly kind: 'shared'; readonly socket: string }
    /** Is started by the driver, and told of its end: as a runtime that is spoken to by pipe. */
    | {
        readonly kind: 'own';
        readonly dataDir: string;
        readonly behaviours: Partial<Behaviours>;
      };
  /** How long an unreachable runtime is waited for. Unit: milliseconds. */
  readonly connectMaxMs: number;
  /** How often a turn that another process of the runtime works on is looked at. Unit: milliseconds. */
  readonly pollMs: number;
}
