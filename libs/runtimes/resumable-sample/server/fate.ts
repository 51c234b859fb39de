import { createHash } from 'node:crypto';

/** A number from 0 (included) to 1 that is always the same for the same words: a seeded fate, whatever else happens at once. */
export const fateOf = (...words: readonly (string | number)[]): number =>
  createHash('sha256').update(JSON.stringify(words)).digest().readUInt32LE(0) / 2 ** 32;
