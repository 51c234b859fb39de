import { EVENT_STORE } from '#event-store';

export const submit = EVENT_STORE;
