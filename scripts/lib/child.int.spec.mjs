import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { runChild } from './child.mjs';
import { endLeftovers } from './leftovers.mjs';

const cwd = import.meta.dirname;
/** Longer than any test here may take. */
const FOREVER = 'setInterval(() => {}, 1 << 30)';

/** @param {string} code @param {number} limitMs */
const run = (code, limitMs) => runChild(process.execPath, ['-e', code], { cwd, limitMs });

describe('a child process of a script', () => {
  it('hands over its exit code and both of its outputs', async () => {
    const ended = await run(
      'console.log("out"); console.error("err"); process.exitCode = 3',
      30_000,
    );
    expect(ended).toEqual({
      code: 3,
      output: expect.stringMatching(/out\n.*err\n|err\n.*out\n/s),
      endedBy: 'itself',
    });
  });

  it('yields the processor when it should, and so does what it starts', async () => {
    const told = `console.log(require('node:os').getPriority())`;
    const code = `${told}; require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(told)}], { stdio: 'inherit' })`;
    const ended = await runChild(process.execPath, ['-e', code], {
      cwd,
      limitMs: 30_000,
      niceness: 19,
    });
    expect(ended.output).toBe('19\n19\n');
  });

  it('is ended at its time limit, with what it started', async () => {
    const mark = randomUUID();
    const spawned = `spawn(process.execPath, ['-e', ${JSON.stringify(FOREVER)}])`;
    const ended = await runChild(
      process.execPath,
      ['-e', `console.log(require('node:child_process').${spawned}.pid); ${FOREVER}`],
      { cwd, limitMs: 1_000, env: { HOLDFAST_TEST_MARK: mark } },
    );
    expect(ended.endedBy).toBe('time limit');
    expect(ended.output).toMatch(/^\d+\n$/); // The grandchild had been started.
    await expect(endLeftovers('HOLDFAST_TEST_MARK', mark)).resolves.toEqual([]);
  });

  it('is exit code 127 when there is no such program', async () => {
    const ended = await runChild('no-such-program', [], { cwd, limitMs: 30_000 });
    expect(ended.code).toBe(127);
  });
});

describe('what a test run leaves behind', () => {
  it('is found by the mark that it inherited, named and ended', async () => {
    const mark = randomUUID();
    const left = spawn(process.execPath, ['-e', FOREVER], {
      detached: true,
      env: { ...process.env, HOLDFAST_TEST_MARK: mark },
      stdio: 'ignore',
    });
    const gone = once(left, 'exit');
    await once(left, 'spawn');
    await expect(endLeftovers('HOLDFAST_TEST_MARK', mark)).resolves.toEqual([
      { pid: left.pid, command: `${process.execPath} -e ${FOREVER}` },
    ]);
    await expect(gone).resolves.toEqual([null, 'SIGKILL']);
  });

  it('is nothing when all has ended', async () => {
    await expect(endLeftovers('HOLDFAST_TEST_MARK', randomUUID())).resolves.toEqual([]);
  });
});
