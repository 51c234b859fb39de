import { EVENT_STORE } from '#event-store';
import { decide } from '../domain/index.js';
import '../projection/index.js';

export const folded = [EVENT_STORE, decide];
