import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { findAllWork } from '#execution/process';
import { waitUntil } from '#testing/wait-until';
import type { Fixture } from './fixture.js';
import { runsOf } from './stream.js';

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
  'shim',
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

/** A SIGKILL that found its victim alive. */
export interface Kill {
  readonly victim: string;
  /** By the clock of the machine, which is also the broker's: what was stored before it happened before. */
  readonly at: number;
  /** Of a program or its shim: the run that it belonged to. */
  readonly runId?: string;
}

/** What was done, in words, and which of it were kills. */
export interface Struck {
  readonly said: string;
  readonly kills: readonly Kill[];
}

/** Kills or freezes it. A frozen process is woken after its lease has passed; what was killed has been started again. */
export const inflict = async (
  fixture: Fixture,
  fault: Fault,
  frozenMs: number,
  onKill: (kill: Kill) => void = () => undefined,
): Promise<Struck> => {
  const { victim, how } = fault;
  const killed = (kill: Kill, said: string): Struck => {
    onKill(kill);
    return { said, kills: [kill] };
  };
  switch (victim) {
    case 'program':
    case 'shim':
    case 'program-group':
      return killProgram(fixture, victim, killed);
    case 'turns-runtime': {
      const at = Date.now();
      fixture.turnsRuntime.kill();
      await fixture.turnsRuntime.start();
      return killed({ victim, at }, 'turns-runtime killed and started again');
    }
  }
  if (how === 'freeze') {
    if (!fixture.stack.kill(victim, 'SIGSTOP')) return { said: `${victim} was not up`, kills: [] };
    await pause(frozenMs);
    fixture.stack.kill(victim, 'SIGCONT');
    return { said: `${victim} frozen past its lease`, kills: [] };
  }
  const kill = killProcess(fixture, victim);
  if (kill === undefined) return { said: `${victim} was not up`, kills: [] };
  const struck = killed(kill, `${victim} killed`);
  await startedAgain(fixture, kill);
  return struck;
};

/** SIGKILL to a process of the stack. @returns undefined when it was down. */
export const killProcess = (fixture: Pick<Fixture, 'stack'>, victim: string): Kill | undefined => {
  const at = Date.now();
  return fixture.stack.kill(victim, 'SIGKILL') ? { victim, at } : undefined;
};

/** Waits until the supervisor has started a killed process again. @returns when that was. */
export const startedAgain = async (
  fixture: Pick<Fixture, 'events'>,
  { victim, at }: Kill,
): Promise<number> =>
  waitUntil(
    `${victim} to be started again`,
    () =>
      fixture.events.find(
        (event) => event.kind === 'started' && event.name === victim && event.at >= at,
      )?.at,
  );

/** One of this system's programs at this moment: it alone, its shim alone, or both with their whole group. */
const killProgram = async (
  fixture: Fixture,
  victim: 'program' | 'shim' | 'program-group',
  killed: (kill: Kill, said: string) => Struck,
): Promise<Struck> => {
  const own = runsOf(await fixture.stream.all());
  const found = findAllWork().find(
    ({ work, identity }) => own.has(runOf(work)) && !isShim(identity.pid),
  );
  if (found === undefined) return { said: 'no program was running', kills: [] };
  const runId = runOf(found.work);
  const kill = killOneOf(found.identity.pid, victim, runId);
  return kill === undefined
    ? { said: 'the program had just ended', kills: [] }
    : killed(kill, `${victim} of ${found.work} killed`);
};

/** SIGKILL to a program, its shim, or both. @returns undefined when it had ended. */
export const killOneOf = (
  pid: number,
  victim: 'program' | 'shim' | 'program-group',
  runId: string,
): Kill | undefined => {
  const at = Date.now();
  try {
    const group = groupOf(pid);
    const target = { program: pid, shim: group, 'program-group': -group }[victim];
    process.kill(target, 'SIGKILL');
    return { victim, at, runId };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH' || code === 'ENOENT') return undefined;
    throw error;
  }
};

const runOf = (work: string): string => work.split('/')[0] ?? '';

/** The shim leads the group. */
export const isShim = (pid: number): boolean => {
  try {
    return groupOf(pid) === pid;
  } catch {
    return true; // It has just ended: nothing to be killed.
  }
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
