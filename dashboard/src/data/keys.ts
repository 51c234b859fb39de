/** What each answer is kept under; a change makes all that begin with its key be read again. */
export const KEYS = {
  everything: [],
  me: ['me'],
  runs: ['runs'],
  counts: ['counts'],
  unknowns: ['unknowns'],
  nodes: ['nodes'],
  agents: ['agents'],
  projections: ['projections'],
  system: ['system'],
  run: (id: string) => ['run', id] as const,
  spawns: ['spawns'],
  spawn: (id: string) => ['spawn', id] as const,
  session: (id: string) => ['session', id] as const,
} as const;
