import type { EventStore } from '#event-store';

export const host = (store: EventStore) => store;
