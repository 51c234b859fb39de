/** A time that is given, and its conversion. */
export const isDue = (now: number, startBefore: number) => now > startBefore;
export const shown = (at: number) => new Date(at).toISOString();
