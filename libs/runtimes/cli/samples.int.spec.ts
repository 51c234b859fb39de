import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '#testing';
import { cliAdapter } from './cli.adapter.js';
import { sampleAgentArgv, type SampleAgent } from './samples.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const start = (name: SampleAgent, args: readonly string[], stdin = '') => {
  const [program, ...fixed] = sampleAgentArgv(name).slice(0, -1) as [string, ...string[]];
  const child = spawn(program, [...fixed, ...args], {
    env: { ...process.env, TICK_MS: '10' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  child.stdin.end(stdin);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
  const closed = once(child, 'close').then(([code]) => ({ code: code as number, output }));
  return { child, closed, output: () => output };
};

describe('the sample agent echo', () => {
  it('answers at once with its prompt', async () =>
    expect(await start('echo', ['hello there']).closed).toEqual({
      code: 0,
      output: 'hello there\n',
    }));

  it('takes its prompt by standard input as well', async () =>
    expect(await start('echo', [], 'from stdin\n').closed).toEqual({
      code: 0,
      output: 'from stdin\n',
    }));
});

describe('the sample agent ticker', () => {
  it('works for as long as its prompt says, and shows it', async () =>
    expect(await start('ticker', ['work for 3 seconds']).closed).toEqual({
      code: 0,
      output: 'tick 1 of 3\ntick 2 of 3\ntick 3 of 3\ndone after 3\n',
    }));

  it('works for 5 without a number, and within its bounds', async () => {
    expect((await start('ticker', ['work']).closed).output).toContain('done after 5\n');
    expect((await start('ticker', ['0']).closed).output).toContain('done after 1\n');
    const long = start('ticker', ['99999']);
    await waitUntil('its first tick', () => long.output().startsWith('tick 1 of 3600\n'));
  });

  it('says how far it came when it is stopped', async () => {
    const running = start('ticker', ['1000']);
    await waitUntil('its first tick', () => running.output() !== '');
    running.child.kill('SIGTERM');
    const { code, output } = await running.closed;
    expect(code).toBe(143);
    expect(output).toMatch(/\nstopped after \d+ of 1000\n$/);
  });
});

describe('the sample agent resident', () => {
  it('says its task, and lives until it is stopped', async () => {
    const running = start('resident', ['look after things']);
    await waitUntil('its task', () => running.output().includes(': look after things\n'));
    running.child.kill('SIGTERM');
    const { code, output } = await running.closed;
    expect(code).toBe(143);
    expect(output).toMatch(/\nan agent without a name was stopped\n$/);
  });
});

it('the samples are valid agents', () => {
  for (const name of ['echo', 'ticker', 'resident'] as const)
    expect(cliAdapter.validateConfig({ argv: sampleAgentArgv(name) }).ok).toBe(true);
});
