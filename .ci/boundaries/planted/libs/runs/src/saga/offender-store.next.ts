import { EVENT_STORE } from '#event-store';

export const next = EVENT_STORE;
