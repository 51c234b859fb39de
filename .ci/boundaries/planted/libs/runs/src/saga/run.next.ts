import type { EventStore } from '#event-store';
import { decide } from '../domain/index.js';

export const next = (store: EventStore) => [store, decide];
