import type { Loaded } from '#event-store';
import type { Instant } from '#kernel';
import type { ExistingRun, RunState } from '../domain/index.js';
import type { RunContext } from './run.next.js';

/** What a step came to. */
export type Performed =
  /** Something was appended: this is the run now, look on. */
  | { readonly kind: 'moved'; readonly run: Loaded<RunState> }
  /** A node was asked, or told; what follows comes from it, or with time. */
  | { readonly kind: 'asked' }
  /** Nothing can be done about it now. */
  | { readonly kind: 'stuck' };

/** What the step rests on beside the run. */
export type StepContext = Pick<RunContext, 'epoch' | 'doubt' | 'node' | 'windows'> & {
  /** When the node's lease was last renewed, as far as known. */
  readonly lastHeardAt: Instant | null;
};

/** A run that exists, as it was loaded. */
export type LoadedRun = Loaded<RunState> & { readonly state: ExistingRun };
