import { randomBytes } from 'node:crypto';

/** The proof by which whoever dispatches may act: 32 hexadecimal digits that nobody can guess. */
export const newPlacementToken = (): string => randomBytes(16).toString('hex');
