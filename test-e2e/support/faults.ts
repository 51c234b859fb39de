import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { findAllWork } from '#execution/process';
import { waitUntil } from '#testing';
import type { Fixture } from './fixture.js';

/** A source of chance that a seed makes repeatable (mulberry32). */
export const chanceOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export const pick = <Item>(items: readonly Item[], chance: () => number): Item =>
  items[Math.floor(chance() * items.length)] as Item;

/** What can be killed, and how. */
export interface Fault {
  readonly victim: string;
  readonly how: 'kill' | 'freeze';
}

const SERVICES = [
  'commands',
  'sagas',
  'projector',
  'queries',
  'reconciler',
  'gateway',
  'node-agent-n1',
];
const VICTIMS = [
  ...SERVICES,
  'node-agent-n1',
  'nats-server',
  'postgres',
  'program',
  'program-group',
  'turns-runtime',
];

export const faultOf = (chance: () => number): Fault => {
  const victim = pick(VICTIMS, chance);
  return { victim, how: SERVICES.includes(victim) && chance() < 0.25 ? 'freeze' : 'kill' };
};

/** A random moment is the fault itself here, not a wait for something. */
export const atRandomMoment = (chance: () => number, withinMs: number): Promise<void> =>
  pause(Math.floor(chance() * withinMs));

/** Kills or freezes it. A frozen process is woken after its lease has passed. @returns what was done. */
export const inflict = async (
  fixture: Fixture,
  fault: Fault,
  frozenMs: number,
): Promise<string> => {
  const { victim, how } = fault;
  switch (victim) {
    case 'program':
    case 'program-group':
      return killProgram(victim === 'program-group');
    case 'turns-runtime':
      fixture.turnsRuntime.kill();
      await fixture.turnsRuntime.start();
      return 'turns-runtime killed and started again';
  }
  const pid = fixture.stack.pids()[victim];
  if (how === 'freeze') {
    if (!fixture.stack.kill(victim, 'SIGSTOP')) return `${victim} was not up`;
    await pause(frozenMs);
    fixture.stack.kill(victim, 'SIGCONT');
    return `${victim} frozen past its lease`;
  }
  if (!fixture.stack.kill(victim, 'SIGKILL')) return `${victim} was not up`;
  await waitUntil(`${victim} to be started again`, () => {
    const now = fixture.stack.pids()[victim];
    return now !== undefined && now !== pid;
  });
  return `${victim} killed`;
};

/** One of the programs that agents run at this moment: alone, so that its shim sees the exit, or with its whole group. */
const killProgram = (group: boolean): string => {
  const [found] = findAllWork();
  if (found === undefined) return 'no program was running';
  const { pid } = found.identity;
  try {
    process.kill(group ? -groupOf(pid) : pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return 'the program had just ended';
  }
  return `program of ${found.work} killed${group ? ' with its group' : ''}`;
};

export const groupOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
};

/** Kills the programs of a run with their shims, and nothing else: nobody sees an exit. */
export const killProgramsOf = (runId: string): void => {
  for (const group of groupsOf(runId)) killGroup(group);
};

/** Kills the node-agent and the program of a run, as the death of a machine would; the agent is started again at once. */
export const killNodeWith = (fixture: Fixture, runId: string): void => {
  const groups = groupsOf(runId);
  fixture.stack.kill('node-agent-n1', 'SIGKILL');
  for (const group of groups) killGroup(group);
};

const groupsOf = (runId: string): ReadonlySet<number> =>
  new Set(
    findAllWork()
      .filter(({ work }) => work.startsWith(`${runId}/`))
      .map(({ identity }) => groupOf(identity.pid)),
  );

/** Kills the node-agent and the process group of one of its programs; what left the group lives on. */
export const killNodeWithGroupOf = (fixture: Fixture, pid: number): void => {
  const group = groupOf(pid);
  fixture.stack.kill('node-agent-n1', 'SIGKILL');
  killGroup(group);
};

/** Silences the node-agent without ending it, and kills the program of a run: nobody is left who could tell. */
export const silenceNodeAndKill = (fixture: Fixture, runId: string): void => {
  fixture.stack.kill('node-agent-n1', 'SIGSTOP');
  killProgramsOf(runId);
};

const killGroup = (group: number): void => {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Programs of a run that are alive. */
export const programsOf = (runId: string): number =>
  findAllWork().filter(({ work }) => work.startsWith(`${runId}/`)).length;
