import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '#testing';
import { sendTo, stopProgram, survivors } from './ladder.js';
import { launch, type Launched } from './launcher.js';
import { findAllWork, findByWork, groupMembers, identify, isAlive } from './process-identity.js';
import { Bench, QUICK_LADDER, SETTINGS } from './process.fixture.js';
import type { ProgramStart } from './program.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.sweep());

/** Starts a program that writes a line when it is set up, and waits for that line. */
const started = async (program: ProgramStart): Promise<Launched & { readonly line: string }> => {
  const running = await launch(program, SETTINGS);
  bench.remember(running, program);
  running.giveGo();
  const line = await waitUntil('its first line', async () => {
    const text = await readFile(join(program.workdir, 'output'), 'utf8');
    return text.includes('\n') ? text.trim() : undefined;
  });
  return { ...running, line };
};

describe('the stop ladder', () => {
  it('ends a program that reacts to SIGTERM, and keeps its exit', async () => {
    const program = bench.script('trap "exit 9" TERM; echo ready; while :; do sleep 0.02; done');
    const running = await started(program);
    const target = { shim: running.shim, work: program.work };
    expect(await stopProgram(target, { ...QUICK_LADDER, graceMs: 10_000 })).toEqual({
      proof: 'group-gone',
      remains: [],
      rung: 'term',
    });
    expect(await running.ended).toEqual({ kind: 'exited', code: 9 });
    expect(groupMembers(running.shim.pid)).toEqual([]);
  });

  it('kills a program that ignores SIGTERM, with all its children', async () => {
    const program = bench.script('trap "" TERM; sleep 60 & sleep 61 & echo ready; wait');
    const running = await started(program);
    const target = { shim: running.shim, work: program.work };
    expect(survivors(target).length).toBe(4);
    expect(await stopProgram(target, QUICK_LADDER)).toEqual({
      proof: 'group-gone',
      remains: [],
      rung: 'kill',
    });
    expect(await running.ended).toEqual({ kind: 'gone' });
    expect(findByWork(program.work)).toEqual([]);
  });

  it('has nothing to do where nothing lives', async () => {
    const program = bench.script('echo done');
    const running = await started(program);
    await running.ended;
    expect(await stopProgram({ shim: running.shim, work: program.work }, QUICK_LADDER)).toEqual({
      proof: 'group-gone',
      remains: [],
      rung: 'none',
    });
  });

  it('finds and kills what forked twice and left group and session', async () => {
    const escape = 'setsid sh -c "trap : TERM; echo \\$\\$; while :; do sleep 0.02; done" & exit 0';
    const program = bench.script(`(${escape}) & wait; exit 0`);
    const running = await started(program);
    expect(await running.ended).toEqual({ kind: 'exited', code: 0 });
    const escaped = identify(Number(running.line));
    expect(escaped && isAlive(escaped)).toBe(true);
    expect(groupMembers(running.shim.pid)).toEqual([]);
    expect(findByWork(program.work)).toContainEqual(escaped);
    expect(findAllWork(program.work.split('/')[0])).toContainEqual({
      work: program.work,
      identity: escaped,
    });
    expect(await stopProgram({ shim: running.shim, work: program.work }, QUICK_LADDER)).toEqual({
      proof: 'group-gone',
      remains: [],
      rung: 'kill',
    });
    expect(escaped && isAlive(escaped)).toBe(false);
  });

  it('finds a child that dropped the mark and left, while its parent lives', async () => {
    const program = bench.script('env -i /usr/bin/setsid sleep 60 & echo $!; wait');
    const running = await started(program);
    const escaped = await waitUntil('it to leave the group', () => {
      const child = identify(Number(running.line));
      const inGroup = groupMembers(running.shim.pid).some(({ pid }) => pid === child?.pid);
      return inGroup ? undefined : child;
    });
    expect(findByWork(program.work)).not.toContainEqual(escaped);
    const target = { shim: running.shim, work: program.work };
    expect(survivors(target)).toContainEqual(escaped);
    await stopProgram(target, QUICK_LADDER);
    expect(isAlive(escaped)).toBe(false);
  });

  it('ends a program that is stopped with SIGSTOP', async () => {
    const program = bench.script('echo ready; kill -STOP $$; sleep 60');
    const running = await started(program);
    const result = await stopProgram({ shim: running.shim, work: program.work }, QUICK_LADDER);
    expect(result.rung).toBe('kill');
    expect(isAlive(running.child)).toBe(false);
  });

  it('never signals a process that was given the pid of a dead one', async () => {
    const bystander = await started(bench.script('trap "" TERM; echo ready; sleep 60'));
    const reused = { ...bystander.shim, startTicks: bystander.shim.startTicks - 1 };
    const target = { shim: reused, work: 'of-another-run/1' };
    expect(survivors(target)).toEqual([]);
    expect(await stopProgram(target, { ...QUICK_LADDER, graceMs: 0 })).toEqual({
      proof: 'group-gone',
      remains: [],
      rung: 'none',
    });
    expect(sendTo(reused, 'SIGKILL')).toBe(false);
    expect(isAlive(bystander.shim)).toBe(true);
    expect(isAlive(bystander.child)).toBe(true);
  });

  it('never signals a process of an earlier boot', async () => {
    const program = bench.script('echo ready; sleep 60');
    const bystander = await started(program);
    const shim = { ...bystander.shim, bootId: 'an-earlier-boot' };
    expect(survivors({ shim, work: program.work })).toEqual([]);
    expect(sendTo(shim, 'SIGKILL')).toBe(false);
    expect(isAlive(bystander.child)).toBe(true);
  });

  it('takes a zombie for dead, though its pid still answers', async () => {
    const program = bench.script('sleep 0 & echo $!; exec sleep 60'); // `sleep` does not wait for its child.
    const running = await started(program);
    const zombie = Number(running.line);
    const identity = await waitUntil('the zombie', () => {
      const found = identify(zombie);
      return found && !isAlive(found) ? found : undefined;
    });
    expect(process.kill(zombie, 0)).toBe(true);
    expect(survivors({ shim: running.shim, work: program.work })).not.toContainEqual(identity);
  });
});
