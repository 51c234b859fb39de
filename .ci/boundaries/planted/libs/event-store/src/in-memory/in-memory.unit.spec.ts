import { inMemory } from '#event-store/in-memory';
import { waitUntil } from '#testing';

export const proven = [inMemory, waitUntil];
