import type { ValueTransformer } from 'typeorm';

/** A `timestamptz` column that is whole milliseconds since 1970 in the code. */
export const TIME: ValueTransformer = {
  from: (stored: Date | null | undefined) => stored?.getTime() ?? null,
  to: (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms) : ms),
};
