import type { Grip, RunEntries } from '#execution/domain';
import { itemAt, withItem } from '../engine/index.js';
import { HISTORY } from './layout.js';
import type { AgentMemory, Program } from './memory.js';

/** One agent with its journal and its programs: what a step at a node changes. */
export interface Local {
  readonly entries: RunEntries;
  readonly agent: AgentMemory;
  /** By generation; index 0 is generation 1. */
  readonly programs: readonly Program[];
  /** One of {@link HISTORY}. */
  readonly history: number;
}

/** The journal with one entry acknowledged, or to be reported again. */
export const withReported = (local: Local, generation: number, reported: boolean): Local => ({
  ...local,
  entries: {
    ...local.entries,
    entries: local.entries.entries.map((entry) =>
      entry.generation === generation && entry.reported !== reported
        ? { ...entry, reported }
        : entry,
    ),
  },
});

export const programOf = (local: Local, generation: number): Program =>
  itemAt(local.programs, generation - 1);

export const withProgram = (local: Local, generation: number, program: Program): Local => ({
  ...local,
  programs: withItem(local.programs, generation - 1, program),
});

/** The agent holds the entry otherwise from now on; what it lets go, it also forgets a stop of. */
export const held = (local: Local, generation: number, grip: Grip): Local => {
  const { agent } = local;
  const grips = withItem(agent.grips, generation - 1, grip);
  const stops = grip === 'none' ? withItem(agent.stops, generation - 1, false) : agent.stops;
  return { ...local, agent: { ...agent, grips, stops } };
};

/** The program of an entry that will not be started is let go without `go`. */
export const withdrawn = (local: Local, generation: number): Local => {
  const released = held(local, generation, 'none');
  return programOf(local, generation) === 'waits'
    ? withProgram(released, generation, 'none')
    : released;
};

/** A program that ends without an exit. */
const dies = (program: Program): Program => {
  if (program === 'waits') return 'none';
  return program === 'given' || program === 'working' || program === 'orphaned' ? 'dead' : program;
};

/** The runtime's record of a turn shows when nobody works on it any more. */
const interruptedIf = (wasWorking: boolean, local: Local): Local =>
  wasWorking && local.history === HISTORY.progress
    ? { ...local, history: HISTORY.interrupted }
    : local;

export const killed = (local: Local, generation: number): Local => {
  const program = programOf(local, generation);
  return interruptedIf(program === 'working', withProgram(local, generation, dies(program)));
};

/** It dies, and what it had started lives on without it. */
export const orphaned = (local: Local, generation: number): Local =>
  interruptedIf(
    programOf(local, generation) === 'working',
    withProgram(local, generation, 'orphaned'),
  );

/** Every program of the machine dies. */
export const machineDead = (local: Local): Local =>
  interruptedIf(local.programs.includes('working'), {
    ...local,
    programs: local.programs.map(dies),
  });
