import { EVENT_STORE } from '#event-store';

export const inMemory = { token: EVENT_STORE };
