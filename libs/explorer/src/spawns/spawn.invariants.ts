/** What must never happen, in words for the report. The order is the order of the bits. */
export const SPAWN_INVARIANTS = {
  J1: 'a node holds more slots than it has',
  J2: 'a spawn is settled, no agent of it lives, and its slot is held with nothing due',
  J3: 'a spawn is dispatched, or its agent lives, without a slot',
  J4: 'a strict spawn has a second frame',
  J5: 'a second agent is started',
  J6: 'what callers were told as final changes',
  J7: 'an agent was started by what was certainly unsent, or proven not to be started',
} as const;
export const SPAWN_GOALS = {
  L1: 'a spawn can never be settled',
  L2: 'a spawn is settled, no agent of it lives, and its slot can never be free again',
  L3: 'its agent has ended, and its slot can never be free again',
  L4: 'a spawn gave its place up, and can never be placed again',
  L5: 'a spawn is pending, and can never be dispatched',
} as const;
export const SPAWN_PROPERTIES: Readonly<Record<string, string>> = {
  ...SPAWN_INVARIANTS,
  ...SPAWN_GOALS,
};
export type SpawnProperty = keyof typeof SPAWN_INVARIANTS | keyof typeof SPAWN_GOALS;
