import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from '#contracts';
import type { RuntimeAdapter } from '#runtimes';
import { cliAdapter } from '#runtimes/cli';
import { waitUntil } from '#testing';
import { entryIn, go, journalOf, spawnFrame, taken } from '../domain/entry.fixture.js';
import type { Entry } from '../domain/index.js';
import type { ConfiguredHarness } from './configured.programs.js';
import { harnessesNotReady } from './harness.readiness.js';
import { NotStartable } from './ports.js';
import { RuntimePrograms } from './runtime.programs.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let folder: string;
let stops: (() => Promise<unknown>)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-harness-'));
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
});

const harness = (config: object, readyFile: string | null = null): ConfiguredHarness => {
  const checked = cliAdapter.validateConfig(config);
  if (!checked.ok) throw new Error(checked.problems.join('; '));
  const adapter = cliAdapter as RuntimeAdapter;
  return { name: 'sample', adapter, config: checked.config, readyFile };
};
const SHELL = { argv: ['/bin/sh', '-c', 'eval "$1"', '{agent}', '{prompt}'] };

const programsWith = (...harnesses: readonly ConfiguredHarness[]): RuntimePrograms =>
  new RuntimePrograms({
    // An agent of the harness's name: what is spawned must not be looked for among the agents.
    agents: new Map([['sample', harness({ argv: ['/nowhere/agent', '{prompt}'] })]]),
    harnesses: new Map(harnesses.map((one) => [one.name, one])),
    workRoot: join(folder, 'work'),
    launch: { announceMaxMs: 10_000, pollMs: 10 },
    ladder: { graceMs: 2_000, killWaitMs: 5_000, pollMs: 10 },
    environment: { PATH: process.env['PATH'] },
  });

const order = (task: string, directory: string | null = null): Frame =>
  spawnFrame({ agent: 'reviewer', prompt: task, spawn: { harness: 'sample', directory } });

/** The agent of this frame, told to go. */
const spawned = async (programs: RuntimePrograms, frame: Frame) => {
  const waiting = await programs.prepare(frame);
  const { shim, child, workDirectory, cwd } = waiting;
  const data = { runId: 'run-1', generation: 1, at: 0, shim, child, workDirectory, cwd };
  const entry: Entry = entryIn(journalOf(taken(frame), { type: 'ShimReady', data }, go()));
  stops.push(() => programs.stop(entry));
  waiting.giveGo();
  const output = (): string => readFileSync(join(workDirectory, 'output'), 'utf8');
  return { entry, waiting, output, cwd };
};

const refusalOf = async (programs: RuntimePrograms, frame: Frame): Promise<unknown> =>
  programs.prepare(frame).then(
    () => 'started',
    (error: unknown) => (error instanceof NotStartable ? [error.code, error.message] : error),
  );

describe('the program of an agent that is spawned', () => {
  it('is its harness’s, with the task as its prompt and its own name', async () => {
    const programs = programsWith(harness(SHELL));
    const { waiting, output } = await spawned(programs, order('echo "$0 is $HOLDFAST_AGENT"'));
    expect(await waiting.ended).toBe('exited');
    expect(output()).toBe('reviewer is reviewer\n');
  });

  it.each([
    ['the directory that its frame names', true, true, 'asked'],
    ['else that of its harness', false, true, 'configured'],
    ['else one of its own', false, false, 'work/run-1/1/cwd'],
  ])('works in %s', async (_what, asks, configures, expected) => {
    for (const name of ['asked', 'configured']) mkdirSync(join(folder, name));
    const cwd = configures ? { cwd: join(folder, 'configured') } : {};
    const programs = programsWith(harness({ ...SHELL, ...cwd }));
    const frame = order('pwd', asks ? join(folder, 'asked') : null);
    const { waiting, output, cwd: works } = await spawned(programs, frame);
    await waiting.ended;
    expect(works).toBe(join(folder, expected));
    expect(output()).toBe(`${works}\n`);
  });

  it('is not started where there is no such directory', async () => {
    const missing = join(folder, 'missing');
    expect(await refusalOf(programsWith(harness(SHELL)), order('pwd', missing))).toEqual([
      'AGENT_NOT_STARTABLE',
      `no such directory: ${missing}`,
    ]);
  });

  it('is not started with a harness that its node does not have', async () => {
    const reason = 'this node has no harness sample';
    expect(await refusalOf(programsWith(), order('pwd'))).toEqual([
      'HARNESS_NOT_CONFIGURED',
      reason,
    ]);
  });

  it('is looked at, stopped and concluded by its harness', async () => {
    const programs = programsWith(harness({ ...SHELL, timeLimitMs: 60_000 }));
    const frame = order('trap "exit 7" TERM; echo ready; while :; do sleep 0.01; done');
    const { entry, output } = await spawned(programs, frame);
    await waitUntil('it is at work', () => output() === 'ready\n');
    expect(await programs.look(entry)).toBe('alive');
    expect(programs.traits(frame)).toEqual({ outlivesClient: false, timeLimitMs: 60_000 });
    expect(await programs.remains(entry)).not.toEqual([]);
    expect(await programs.stop(entry)).toEqual({ remains: [], endedByItself: false });
    expect(await programs.look(entry)).toBe('exited');
    expect(await programs.conclude(entry, 'exited')).toMatchObject({
      end: { how: 'failed', code: 'AGENT_EXITED', exitCode: 7 },
    });
  });
});

describe('an agent whose program ended by itself', () => {
  it('has not ended while something that it started is alive', async () => {
    const programs = programsWith(harness(SHELL));
    const { entry } = await spawned(programs, order('echo ready; sleep 60 & exit 0'));
    await waitUntil('its end', async () => (await programs.look(entry)) === 'exited');
    const { end } = await programs.conclude(entry, 'exited');
    expect(end).toMatchObject({ how: 'lost', remains: [expect.any(String)] });
    expect(await programs.stop(entry)).toMatchObject({ remains: [] });
    expect((await programs.conclude(entry, 'exited')).end).toMatchObject({ how: 'completed' });
  });

  it('has not ended either where its harness is there no more', async () => {
    const { entry } = await spawned(programsWith(harness(SHELL)), order('sleep 60 & exit 0'));
    const without = programsWith();
    await waitUntil('its end', async () => (await without.look(entry)) === 'exited');
    expect((await without.conclude(entry, 'exited')).end).toMatchObject({
      how: 'lost',
      remains: [expect.any(String)],
    });
  });
});

describe('a harness (@SP-58)', () => {
  const notReady = (...harnesses: readonly ConfiguredHarness[]): readonly string[] =>
    harnessesNotReady(harnesses, { PATH: join(folder, 'bin') });

  it.each([
    ['named by its path', (bin: string) => join(bin, 'agent')],
    ['found by its name', () => 'agent'],
  ])('is ready while its program can be executed: %s', (_what, programOf) => {
    const bin = join(folder, 'bin');
    const program = join(bin, 'agent');
    const sample = harness({ argv: [programOf(bin), '{prompt}'] });
    expect(notReady(sample)).toEqual(['sample']);
    mkdirSync(bin);
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o644 });
    expect(notReady(sample)).toEqual(['sample']);
    chmodSync(program, 0o755);
    expect(notReady(sample)).toEqual([]);
    rmSync(program);
    mkdirSync(program);
    expect(notReady(sample)).toEqual(['sample']);
  });

  it('is ready while its ready file is there', () => {
    const readyFile = join(folder, 'ready');
    const others = { ...harness(SHELL), name: 'other' };
    const sample = harness(SHELL, readyFile);
    expect(notReady(others, sample)).toEqual(['sample']);
    writeFileSync(readyFile, '');
    expect(notReady(others, sample)).toEqual([]);
    rmSync(readyFile);
    expect(notReady(others, sample)).toEqual(['sample']);
  });

  it('is looked for along the path that its agents get', () => {
    mkdirSync(join(folder, 'own'));
    writeFileSync(join(folder, 'own', 'agent'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: join(folder, 'own') };
    expect(notReady(harness({ argv: ['agent', '{prompt}'], env }))).toEqual([]);
  });
});
