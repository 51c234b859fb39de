import { inMemory } from '#event-store/in-memory';
import { decide } from '#runs/domain';

export const explored = [inMemory, decide];
