import { afterEach, beforeEach, describe, it, expect } from '@jest/globals';
import { waitUntil } from '#testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessSpec } from './child-process.js';
import { repositoryRoot } from './repository-root.js';
import { identityOf, isAlive } from './process-identity.js';
import { MARK_VARIABLE, ProcessRecords } from './process-records.js';
import type { SupervisorEvent } from './supervised-process.js';
import { Supervisor } from './supervisor.js';

const root = repositoryRoot();

/** Lets a plain Node.js process run this library from its sources. */
const SOURCES = [
  '--no-warnings',
  '--conditions=holdfast-source',
  '--import',
  join(root, 'libs/testing/source-loader/register.mjs'),
];

const READY = { readyMaxMs: 10_000 };

let home: string;
let events: SupervisorEvent[];
let supervisor: Supervisor | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-supervisor-'));
  events = [];
});

afterEach(async () => {
  await supervisor?.close();
  supervisor = undefined;
  await rm(home, { recursive: true, force: true });
});

const open = async (): Promise<Supervisor> => {
  supervisor = await Supervisor.open(home, (event) => events.push(event));
  return supervisor;
};

/** Runs JavaScript text, and is ready when it has said `up`. */
const program = (name: string, text: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
  name,
  command: process.execPath,
  args: ['-e', `${text}; console.log('up')`],
  env: {},
  waitsFor: () => Promise.resolve(logOf(name).includes('up') ? undefined : 'its word'),
  ...more,
});

const idle = (name: string): ProcessSpec => program(name, 'setInterval(() => undefined, 1000)');

const logOf = (name: string): string => {
  const file = join(home, 'logs', `${name}.log`);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

const pidFile = (name: string): number | undefined => {
  const file = join(home, 'run', `${name}.pid`);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
};

describe('a supervisor', () => {
  it('starts a killed process again, and its pid file follows', async () => {
    const stack = await open();
    await stack.start(idle('one'), READY);
    const before = pidFile('one');
    expect(stack.pids()).toEqual({ one: before });

    expect(stack.kill('one', 'SIGKILL')).toBe(true);

    const after = await waitUntil('another pid in the file', () => {
      const pid = pidFile('one');
      return pid !== undefined && pid !== before && pid;
    });
    expect(identityOf(after)).toBeDefined();
    expect(stack.pids()).toEqual({ one: after });
  });

  it('waits longer each time before it starts what dies at once, at most 2 s', async () => {
    const stack = await open();
    const flag = join(home, 'broken');
    const text = `if (require('fs').existsSync('${flag}')) process.exit(3); setInterval(() => 0, 1e3)`;
    await stack.start(program('crashing', text), READY);
    await writeFile(flag, '');
    stack.kill('crashing', 'SIGKILL');
    const waits = await waitUntil('five ends', () => {
      const ends = events.filter((event) => event.kind === 'ended');
      return ends.length >= 5 && ends.map(({ againInMs }) => againInMs);
    });
    const doubled = waits.slice(1, 5).map((wait, at) => wait >= 100 && wait >= (waits[at] ?? 0));
    expect(doubled).toEqual([true, true, true, true]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2_000);
  });

  it('says why a process does not come up, with the end of its log, and leaves it down', async () => {
    const stack = await open();
    const failing = program('failing', "console.log('no such table'); process.exit(4)", {
      waitsFor: () => Promise.resolve('Godot'),
    });
    await expect(stack.start(failing, READY)).rejects.toThrow(
      /failing ended with code 4[\s\S]*no such table/,
    );
    expect(stack.pids()).toEqual({});
    expect(pidFile('failing')).toBeUndefined();
    expect(events.map(({ kind }) => kind)).toEqual(['started']);
  });

  it('says what a process waits for that is not ready in time', async () => {
    const stack = await open();
    const waiting = { ...idle('waiting'), waitsFor: () => Promise.resolve('Godot') };
    await expect(stack.start(waiting, { readyMaxMs: 100 })).rejects.toThrow(
      'waiting is not ready after 0.1 s, but waits for Godot',
    );
    expect(stack.pids()).toEqual({});
  });

  it('says so when a command does not exist', async () => {
    const stack = await open();
    const missing = { ...idle('missing'), command: '/no/such/command' };
    await expect(stack.start(missing, READY)).rejects.toThrow('/no/such/command cannot be run');
    expect(stack.pids()).toEqual({});
  });

  it('ends all, the last one started first, even suspended ones, and takes back the pid files', async () => {
    const stack = await open();
    const order = join(home, 'order');
    const noting = (name: string): ProcessSpec =>
      program(
        name,
        `process.on('SIGTERM', () => { require('fs').appendFileSync('${order}', '${name} '); process.exit(); }); setInterval(() => 0, 1e3)`,
      );
    for (const name of ['first', 'second', 'third']) await stack.start(noting(name), READY);
    stack.kill('second', 'SIGSTOP');

    await stack.close();

    expect(readFileSync(order, 'utf8')).toBe('third second first ');
    expect(['first', 'second', 'third'].map(pidFile)).toEqual([undefined, undefined, undefined]);
    expect(stack.pids()).toEqual({});
  });

  it('leaves a process down that is stopped, until it is started again', async () => {
    const stack = await open();
    await stack.start(idle('one'), READY);
    await stack.stopOne('one');
    expect(stack.pids()).toEqual({});
    expect(pidFile('one')).toBeUndefined();
    await stack.startAgain('one', READY);
    expect(stack.pids()).toEqual({ one: pidFile('one') });
  });

  it('gives up waiting when told to, and then nothing runs', async () => {
    const stack = await open();
    const giveUp = new AbortController();
    const never = { ...idle('never'), waitsFor: () => Promise.resolve('Godot') };
    const starting = stack.start(never, { ...READY, signal: giveUp.signal });
    await waitUntil('it runs', () => pidFile('never') !== undefined);
    giveUp.abort(new Error('enough'));
    await expect(starting).rejects.toThrow('enough');
    expect(stack.pids()).toEqual({});
  });

  it('gives a process only the environment that it was given', async () => {
    const stack = await open();
    process.env['HOLDFAST_TEST_SECRET'] = 'x';
    const text = 'console.log(Object.keys(process.env).join()); setInterval(() => 0, 1e3)';
    await stack.start(program('env', text, { env: { ONLY: '1' } }), READY);
    delete process.env['HOLDFAST_TEST_SECRET'];
    expect(logOf('env').split('\n')[0]?.split(',').sort()).toEqual([MARK_VARIABLE, 'ONLY']);
  });

  it('lowers the priority of those that may wait', async () => {
    const stack = await open();
    await stack.start({ ...idle('nice'), niceness: 5 }, READY);
    expect(getPriority(pidFile('nice'))).toBe(5);
  });

  it('sets a large log aside when it starts a process', async () => {
    const stack = await open();
    await stack.start(idle('chatty'), READY);
    await stack.stopOne('chatty');
    const log = join(home, 'logs', 'chatty.log');
    await truncate(log, 11 * 1024 * 1024);
    await stack.startAgain('chatty', READY);
    expect((await stat(`${log}.1`)).size).toBe(11 * 1024 * 1024);
    expect((await stat(log)).size).toBeLessThan(1024);
  });

  it('runs a process to its end, and tells a failure from a success', async () => {
    const stack = await open();
    await stack.runOnce(program('fine', '0'), 10_000);
    const bad = program('bad', "console.error('broken'); process.exitCode = 1");
    await expect(stack.runOnce(bad, 10_000)).rejects.toThrow(/bad ended with code 1[\s\S]*broken/);
    await expect(stack.runOnce(idle('endless'), 200)).rejects.toThrow('was ended by SIGKILL');
  });
});

describe('a second supervisor on the same home', () => {
  let other: ChildProcess;

  afterEach(async () => {
    if (other.exitCode === null && other.signalCode === null) {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
  });

  /** A supervisor in a process of its own, with one process `kept`; resolves with that one's pid. */
  const startOther = async (): Promise<number> => {
    const spec = JSON.stringify({
      name: 'kept',
      command: process.execPath,
      args: ['-e', 'setInterval(() => undefined, 1000)'],
      env: {},
    });
    const text = `
      import { Supervisor } from '${root}/libs/local-stack/src/supervisor.ts';
      const supervisor = await Supervisor.open(${JSON.stringify(home)});
      await supervisor.start(${spec}, { readyMaxMs: 10_000 });
      setInterval(() => undefined, 1000);`;
    other = spawn(process.execPath, [...SOURCES, '--input-type=module', '-e', text], {
      stdio: 'inherit',
    });
    return waitUntil('the other one has started its process', () => pidFile('kept'));
  };

  it('is refused while the first one lives', async () => {
    const kept = await startOther();
    await expect(open()).rejects.toThrow(`already running in ${home} (process ${other.pid})`);
    expect(identityOf(kept)).toBeDefined();
    process.kill(kept, 'SIGKILL');
  });

  it('ends what the first one left behind when it was killed', async () => {
    const kept = await startOther();
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(identityOf(kept)).toBeDefined(); // It does outlive its supervisor: there is something to clean up.

    await open();

    expect(identityOf(kept)).toBeUndefined();
    expect(events).toEqual([{ kind: 'left-behind', name: 'kept', pid: kept }]);
    expect(pidFile('kept')).toBeUndefined();
  });

  it('leaves a stranger alone who was given the number of a dead process', async () => {
    const stranger = await startOther(); // Any living process that the records do not mean.
    const records = new ProcessRecords(join(home, 'run'));
    const identity = { pid: stranger, startedAt: 'long ago' };
    records.started(idle('gone'), 0, 'mark', identity);
    expect(records.survivors().map(({ name }) => name)).toEqual(['kept']);
    process.kill(stranger, 'SIGKILL');
  });

  it('finds a process whose start was recorded only as an intent', async () => {
    const spec = idle('intended');
    const records = new ProcessRecords(join(home, 'run'));
    const mark = records.intend(spec, 0);
    const [command, ...args] = [spec.command, ...spec.args];
    other = spawn(command, args, { env: { [MARK_VARIABLE]: mark } });
    const identity = identityOf(other.pid ?? 0);
    if (identity === undefined) throw new Error('it did not start');
    await waitUntil('it is found', () => records.survivors().length === 1);
    await open();
    expect(isAlive(identity)).toBe(false);
  });
});
