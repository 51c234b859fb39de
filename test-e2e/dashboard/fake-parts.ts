import { createHash } from 'node:crypto';

/** The state does not allow it. */
export class Conflict {
  constructor(readonly code: string) {}
}

/** A UUID that a name always gives. */
export const idOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
