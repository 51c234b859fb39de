/** What must never happen, in words for the report. The order is the order of the bits. */
export const SESSION_INVARIANTS = {
  K1: 'two runs hold the one place of a session',
  K2: 'runs are admitted in another order than that of their commits',
  K3: 'a run is admitted twice',
} as const;
export const SESSION_GOALS = { L1: 'a run that was accepted can never come to an end' } as const;
export const SESSION_PROPERTIES: Readonly<Record<string, string>> = {
  ...SESSION_INVARIANTS,
  ...SESSION_GOALS,
};
export type SessionInvariant = keyof typeof SESSION_INVARIANTS;
export type SessionProperty = SessionInvariant | keyof typeof SESSION_GOALS;
