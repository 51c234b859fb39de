import type { AggregateType } from '#event-store';
import { STOP, type StopCommand, type StopEvent, type StopState } from '../domain/index.js';

export const STOP_AGGREGATE: AggregateType<StopCommand, StopState, StopEvent> = { decider: STOP };
