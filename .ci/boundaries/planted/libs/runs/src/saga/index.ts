import { EVENT_STORE } from '#event-store';
import { next } from './run.next.js';

export const saga = [EVENT_STORE, next];
