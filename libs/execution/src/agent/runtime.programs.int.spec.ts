import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Receipts } from '#runs/contract';
import type { RuntimeAdapter } from '#runtimes';
import { cliAdapter } from '#runtimes/cli';
import { entryIn, frame, go, journalOf, taken } from '../domain/entry.fixture.js';
import type { Entry } from '../domain/index.js';
import { FileCompanions } from './file.companions.js';
import { NO_OUTPUT, type EndOfWork, type Programs } from './ports.js';
import { RuntimePrograms } from './runtime.programs.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let folder: string;
let stops: (() => Promise<unknown>)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-programs-'));
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
});

const timers = {
  after: (ms: number, act: () => void) => {
    const timer = setTimeout(act, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

const programsOfShells = (): RuntimePrograms => {
  const checked = cliAdapter.validateConfig({ argv: ['/bin/sh', '-c', '{prompt}'] });
  if (!checked.ok) throw new Error(checked.problems.join('; '));
  const agent = { name: 'shell', adapter: cliAdapter as RuntimeAdapter, config: checked.config };
  return new RuntimePrograms({
    agents: new Map([[agent.name, agent]]),
    harnesses: new Map(),
    workRoot: join(folder, 'work'),
    launch: { announceMaxMs: 10_000, pollMs: 10 },
    ladder: { graceMs: 0, killWaitMs: 5_000, pollMs: 10 },
    environment: process.env,
  });
};

interface Seen extends EndOfWork {
  readonly seen: string;
  readonly troubles: readonly unknown[];
}

/** A script from its start to what is concluded of it, as a node does it, with its output passed on meanwhile. */
const concluded = async (script: string): Promise<Seen> => {
  const programs = programsOfShells();
  const waiting = await programs.prepare(frame(1, { agent: 'shell', prompt: script }));
  const { shim, child, workDirectory } = waiting;
  const data = { runId: 'run-1', generation: 1, at: 0, shim, child, workDirectory };
  const ofShell = taken(frame(1, { agent: 'shell', prompt: script }));
  const entry = entryIn(journalOf(ofShell, { type: 'ShimReady', data }, go()));
  stops.push(() => programs.stop(entry));
  const troubles: unknown[] = [];
  waiting.giveGo();
  await waiting.ended;
  const walked = walk(programs, entry, troubles);
  const look = await programs.look(entry);
  const end = await programs.conclude(entry, look === 'exited' ? 'exited' : 'gone');
  await walked;
  return { ...end, seen: look, troubles };
};

/** Settles when its receipts and its output were looked at, or could not be. */
const walk = (programs: Programs, entry: Entry, troubles: unknown[]): Promise<void> =>
  new Promise((done) => {
    const sink = { publish: () => Promise.resolve() };
    const told = (trouble: unknown): void => {
      troubles.push(trouble);
      done();
    };
    let looks = 0;
    const receipts = (of: Entry): Promise<Receipts> => {
      looks += 1;
      if (looks === 2) done(); // It has been at the output in between.
      return programs.receipts(of);
    };
    const companions = new FileCompanions({ receipts }, sink, timers, told);
    const companion = companions.accompany(entry, () => undefined);
    stops.unshift(() => {
      companion.finish();
      return Promise.resolve();
    });
  });

const COMPLETED = { how: 'completed', exitCode: 0 };
const LOST = { how: 'lost', reason: 'its program ended, and nobody saw how' };
const SILENT = { how: 'failed', code: 'AGENT_NO_OUTPUT', exitCode: 0 };

describe('a program on the command line', () => {
  it('runs in a folder of its own below its work directory, which nobody else may enter', async () => {
    const own = join(folder, 'work', 'run-1', '1', 'cwd');
    const { end, output } = await concluded('pwd; ls -A');
    expect([end, output.bytes]).toEqual([COMPLETED, own.length + 1]);
    expect(statSync(own).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['clears its current folder', 'rm -rf ./* ./.[!.]*'],
    ['removes its current folder', 'rm -rf "$PWD"'],
    ['writes a file `exit`', 'echo success >exit; echo no >went; echo no >output'],
    ['writes garbage over its exit', 'echo success >../exit'],
    ['writes an exit of its own', `echo '{"status":9}' >../exit`],
    ['removes what shows that it went', 'rm ../went'],
  ])('that %s is completed, with its output', async (_what, script) => {
    const { seen, end, output } = await concluded(`echo hello; ${script}`);
    expect([seen, end, output.bytes]).toEqual(['exited', COMPLETED, 6]);
  });

  it.each([
    ['its output', 'rm ../output'],
    ['its output for a folder', 'rm ../output; mkdir ../output'],
    ['all that its work directory shows', 'rm -rf ../*'],
  ])('that gives up %s has ended without any', async (_what, script) => {
    const { seen, end, output, troubles } = await concluded(`echo hello; ${script}; exit 0`);
    expect([seen, end, output, troubles]).toEqual(['exited', SILENT, NO_OUTPUT, []]);
  });

  it.each([
    ['removes its work directory', 'rm -rf "$(dirname "$PWD")"'],
    ['puts a file in the place of its work directory', 'w=$(dirname "$PWD"); rm -rf $w; echo >$w'],
    ['removes the folder of its run', 'rm -rf "$(dirname "$(dirname "$PWD")")"'],
    [
      'leaves garbage and kills its shim',
      'rm ../output; echo null >../exit; echo garbage >../receipts.jsonl; echo [] >../outcome.json; kill -KILL $PPID',
    ],
  ])('that %s is lost, and looked at once', async (_what, script) => {
    const { seen, end, output, troubles } = await concluded(`echo hello; ${script}`);
    expect([seen, end, output, troubles]).toEqual(['gone', LOST, NO_OUTPUT, []]);
  });
});
