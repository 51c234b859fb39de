import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '#testing';
import { adopt, hasGone } from './end-watch.js';
import { survivors } from './ladder.js';
import { launch, type Launched } from './launcher.js';
import { isAlive, occupiesPid } from './process-identity.js';
import { Bench, SETTINGS } from './process.fixture.js';
import { ARGUMENT_MAX_BYTES, ProgramNotStartable, type ProgramStart } from './program.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.sweep());

const launched = async (program: ProgramStart): Promise<Launched> => {
  const running = await launch(program, SETTINGS);
  bench.remember(running, program);
  return running;
};
const run = async (program: ProgramStart): Promise<{ end: unknown; output: string }> => {
  const running = await launched(program);
  running.giveGo();
  const end = await running.ended;
  return { end, output: await readFile(join(program.workdir, 'output'), 'utf8') };
};

describe('a program behind its shim', () => {
  it('runs after go, with output, exit code and mark', async () => {
    const program = bench.script('echo "to out $HOLDFAST_WORK"; echo to err >&2; exit 3');
    expect(await run(program)).toEqual({
      end: { kind: 'exited', code: 3 },
      output: `to out ${program.work}\nto err\n`,
    });
  });

  it('ends with code 0 and no output', async () => {
    expect(await run(bench.script('exit 0'))).toEqual({
      end: { kind: 'exited', code: 0 },
      output: '',
    });
  });

  it('names the signal that ended it', async () => {
    expect((await run(bench.script('kill -KILL $$'))).end).toEqual({
      kind: 'exited',
      code: 137,
      signal: 'SIGKILL',
    });
  });

  it('keeps the pid and start time that were known before go', async () => {
    const program = bench.script('echo $$; exec sleep 60');
    const running = await launched(program);
    running.giveGo();
    const output = await waitUntil('its pid in the output', async () => {
      const text = await readFile(join(program.workdir, 'output'), 'utf8');
      return text === '' ? undefined : text;
    });
    expect(output).toBe(`${running.child.pid}\n`);
    expect(isAlive(running.child)).toBe(true);
  });

  it('reads its standard input from the plan, and an empty one without', async () => {
    expect((await run(bench.program(['cat'], { stdin: 'a prompt\nof two lines' }))).output).toBe(
      'a prompt\nof two lines',
    );
    expect(await run(bench.program(['cat']))).toEqual({
      end: { kind: 'exited', code: 0 },
      output: '',
    });
  });

  it('may run in its own work directory', async () => {
    const program = bench.script('pwd');
    const there = { ...program, cwd: program.workdir };
    expect((await run(there)).output).toBe(`${program.workdir}\n`);
  });

  it.each(['/bin/sh', '/bin/bash'].filter((shell) => existsSync(shell)))(
    'is not said never to have run when it removed what shows that it did: %s',
    async (shell) => {
      const program = bench.script('echo hello; rm -rf ./*; exit 125');
      const running = await launch({ ...program, cwd: program.workdir }, { ...SETTINGS, shell });
      bench.remember(running, program);
      running.giveGo();
      expect(await running.ended).toEqual({ kind: 'exited', code: 125 });
      expect(await hasGone(program.workdir)).toBe(false);
    },
  );

  it('gets its arguments literally', async () => {
    const literal = ['$HOME', '`id`', '"; rm -rf /', '* ?', '', 'ünï\ncode', '-n'];
    const { output } = await run(bench.program(['printf', '<%s>', ...literal]));
    expect(output).toBe(literal.map((argument) => `<${argument}>`).join(''));
  });

  it('gets exactly the planned environment, and reacts to SIGINT', async () => {
    const env = { PATH: '/usr/bin:/bin', hf_test: 'a b' };
    const program = bench.script('env | LC_ALL=C sort; kill -INT $$; echo survived', { env });
    const { end, output } = await run(program);
    const lines = output.split('\n').filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line)); // The shell's own.
    expect(lines).toEqual([
      `HOLDFAST_WORK=${program.work}`,
      'PATH=/usr/bin:/bin',
      'hf_test=a b',
      '',
    ]);
    expect(end).toEqual({ kind: 'exited', code: 130, signal: 'SIGINT' });
  });

  it('does not inherit the go pipe, nor anything else above standard error', async () => {
    const { output } = await run(
      bench.script('for fd in 3 4 5; do [ -e /proc/$$/fd/$fd ] && echo open $fd; done; exit 0'),
    );
    expect(output).toBe('');
  });

  it('starts with an argument of the largest size, and refuses a longer one', async () => {
    const largest = 'x'.repeat(ARGUMENT_MAX_BYTES);
    const script = (argument: string): ProgramStart =>
      bench.program(['/bin/sh', '-c', 'printf %s "${#1}"', 'sh', argument]);
    expect((await run(script(largest))).output).toBe('131071');
    await expect(launch(script(`${largest}x`), SETTINGS)).rejects.toEqual(
      new ProgramNotStartable('argument', 'argument 4 exceeds 131071 bytes'),
    );
  });

  it('never runs when its spawner is killed before go', async () => {
    const marker = join(bench.folder, 'it-ran');
    const program = bench.program(['touch', marker]);
    const spawner = await bench.spawner(program);
    await spawner.kill();
    const watch = adopt(spawner.identities, program.workdir, SETTINGS);
    expect(await watch.ended).toEqual({ kind: 'not-started', reason: 'no-go' });
    expect(await hasGone(program.workdir)).toBe(false);
    expect(existsSync(marker)).toBe(false);
  });

  it('does run when the same spawner gives go first (negative control)', async () => {
    const marker = join(bench.folder, 'it-ran');
    const program = bench.program(['touch', marker]);
    const spawner = await bench.spawner(program);
    await spawner.giveGo();
    await spawner.kill();
    const watch = adopt(spawner.identities, program.workdir, SETTINGS);
    expect(await watch.ended).toEqual({ kind: 'exited', code: 0 });
    expect(await hasGone(program.workdir)).toBe(true);
    expect(existsSync(marker)).toBe(true);
  });

  it.each(['/bin/sh', '/bin/bash'].filter((shell) => existsSync(shell)))(
    'behaves the same whichever shell the machine has: %s',
    async (shell) => {
      const program = bench.script('trap "exit 5" TERM; kill -TERM -$PPID; sleep 60');
      const running = await launch(program, { ...SETTINGS, shell });
      bench.remember(running, program);
      running.giveGo();
      expect(await running.ended).toEqual({ kind: 'exited', code: 5 });
    },
  );

  it('never runs when it is abandoned', async () => {
    const marker = join(bench.folder, 'it-ran');
    const running = await launched(bench.program(['touch', marker]));
    running.abandon();
    running.giveGo();
    expect(await running.ended).toEqual({ kind: 'not-started', reason: 'no-go' });
    expect(existsSync(marker)).toBe(false);
    expect(isAlive(running.shim)).toBe(false);
  });

  it.each([
    ['program', { argv: ['holdfast-no-such-program'] as const }],
    ['program', { argv: ['/'] as const }],
    ['directory', { cwd: '/no/such/directory' }],
    ['directory', { cwd: 'relative' }],
    ['argument', { argv: ['echo', 'nul\0byte'] as const }],
  ])('is refused for its %s before anything is started: %j', async (problem, wrong) => {
    const refusal = await launch(bench.program(['true'], wrong), SETTINGS).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(ProgramNotStartable);
    expect((refusal as ProgramNotStartable).problem).toBe(problem);
  });

  it('is refused in a work directory that was used before', async () => {
    const program = bench.script('true');
    await run(program);
    const refusal = await launch(program, SETTINGS).catch((error: unknown) => error);
    expect((refusal as ProgramNotStartable).problem).toBe('workdir');
  });

  it('says that it could not be executed, where that shows only at the exec', async () => {
    const program = bench.program([join(bench.folder, 'vanishes')]);
    await writeFile(program.argv[0], '#!/bin/sh\n', { mode: 0o700 });
    const running = await launched(program);
    await rm(program.argv[0]);
    running.giveGo();
    expect(await running.ended).toEqual({ kind: 'not-started', reason: 'unstartable' });
  });
});

describe('a program whose agent was killed', () => {
  it('is adopted with its output and its exit code', async () => {
    const door = join(bench.folder, 'door');
    const program = bench.script(
      `echo before; while [ ! -e ${door} ]; do sleep 0.02; done; echo after; exit 7`,
    );
    const spawner = await bench.spawner(program);
    await spawner.giveGo();
    await spawner.kill();
    const watch = adopt(spawner.identities, program.workdir, SETTINGS);
    expect(isAlive(spawner.identities.child)).toBe(true);
    await writeFile(door, '');
    expect(await watch.ended).toEqual({ kind: 'exited', code: 7 });
    expect(await readFile(join(program.workdir, 'output'), 'utf8')).toBe('before\nafter\n');
  });

  it('is adopted after its end', async () => {
    const program = bench.script('exit 4');
    const spawner = await bench.spawner(program);
    await spawner.giveGo();
    expect(await spawner.hear('ended')).toEqual({ kind: 'exited', code: 4 });
    await spawner.kill();
    expect(await adopt(spawner.identities, program.workdir, SETTINGS).ended).toEqual({
      kind: 'exited',
      code: 4,
    });
  });

  it('is gone when its whole group was killed, and nobody saw its exit', async () => {
    const program = bench.script('sleep 60');
    const spawner = await bench.spawner(program);
    await spawner.giveGo();
    await spawner.kill();
    process.kill(-spawner.identities.shim.pid, 'SIGKILL');
    expect(await adopt(spawner.identities, program.workdir, SETTINGS).ended).toEqual({
      kind: 'gone',
    });
  });

  it('is waited for when just its shim was killed', async () => {
    const door = join(bench.folder, 'door');
    const ready = join(bench.folder, 'ready');
    const program = bench.script(`echo > ${ready}; while [ ! -e ${door} ]; do sleep 0.02; done`);
    const running = await launched(program);
    running.giveGo();
    // A shim that dies before it has passed `go` on takes the program with it.
    await waitUntil('the program to be at work', () => existsSync(ready));
    process.kill(running.shim.pid, 'SIGKILL');
    await waitUntil('the death of the shim', () => !isAlive(running.shim));
    const { shim, child } = running;
    expect(survivors({ shim, child, work: program.work })).toContainEqual(child);
    await writeFile(door, '');
    expect(await running.ended).toEqual({ kind: 'gone' });
  });

  it('is found without its shim and without its mark', async () => {
    const ready = join(bench.folder, 'ready');
    const program = bench.script(
      `exec env -u HOLDFAST_WORK sh -c 'echo > ${ready}; while :; do sleep 0.02; done'`,
    );
    const running = await launched(program);
    const { shim, child } = running;
    running.giveGo();
    await waitUntil('the program to have dropped its mark', () => existsSync(ready));
    process.kill(shim.pid, 'SIGKILL');
    await waitUntil('the death of the shim', () => !occupiesPid(shim));
    expect(survivors({ shim, work: program.work })).toEqual([]);
    expect(survivors({ shim, child, work: program.work })).toContainEqual(child);
    process.kill(child.pid, 'SIGKILL');
  });

  it('of an earlier boot is gone without a look at its pid', async () => {
    const program = bench.script('sleep 60');
    const running = await launched(program);
    const before = { ...running.shim, bootId: 'an-earlier-boot' };
    const watch = adopt({ shim: before, child: before }, program.workdir, SETTINGS);
    expect(await watch.ended).toEqual({ kind: 'gone' });
  });
});
