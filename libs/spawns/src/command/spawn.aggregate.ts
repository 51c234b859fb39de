import type { AggregateType } from '#event-store';
import { SPAWN, type SpawnCommand, type SpawnEvent, type SpawnState } from '../domain/index.js';

export const SPAWN_AGGREGATE: AggregateType<SpawnCommand, SpawnState, SpawnEvent> = {
  decider: SPAWN,
};
