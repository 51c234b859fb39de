import { randomUUID } from 'node:crypto';

export const jitter = Math.random(); // refused
export const id = randomUUID(); // refused
export const other = crypto.randomUUID(); // refused
