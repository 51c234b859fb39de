import type { AggregateType } from '#event-store';
import { RUN, type RunCommand, type RunEvent, type RunState } from '../domain/index.js';

/** A run ends, so its stream stays short: no snapshots. */
export const RUN_AGGREGATE: AggregateType<RunCommand, RunState, RunEvent> = { decider: RUN };
