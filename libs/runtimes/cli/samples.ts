import { ownProgram } from '#runtimes';

/** Agents that ship with Holdfast: one that answers at once, one that works for a while, one that stays until it is stopped. */
export type SampleAgent = 'echo' | 'ticker' | 'resident';

/** Command line of a sample agent, as a node's configuration has it. */
export const sampleAgentArgv = (name: SampleAgent): readonly [string, ...string[]] => [
  ...ownProgram(`./samples/${name}`, import.meta.url),
  '{prompt}',
];
