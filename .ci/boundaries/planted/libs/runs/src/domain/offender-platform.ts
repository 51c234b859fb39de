import type { EventStore } from '#event-store';

export type Store = EventStore;
