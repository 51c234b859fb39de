import { describe, expect, it } from '@jest/globals';
import { PlanRefused, type AttemptEvidence, type WorkOrder } from '#runtimes';
import { cliAdapter } from './cli.adapter.js';
import type { CliConfig } from './cli.config.js';

const valid = (raw: unknown): CliConfig => {
  const checked = cliAdapter.validateConfig(raw);
  if (!checked.ok) throw new Error(checked.problems.join('; '));
  return checked.config;
};
const problems = (raw: unknown): readonly string[] => {
  const checked = cliAdapter.validateConfig(raw);
  return checked.ok ? [] : checked.problems;
};
const order = (prompt: string): WorkOrder => ({
  runId: 'run-1',
  session: 'session-1',
  agent: 'writer',
  generation: 2,
  ask: { kind: 'initial', prompt },
  workdir: '/work/run-1/2',
  earlierWorkdirs: [],
});

describe('the configuration of a command-line agent', () => {
  it('needs little', () =>
    expect(valid({ argv: ['agent', '{prompt}'] })).toEqual({
      argv: ['agent', '{prompt}'],
      promptBy: 'argument',
      env: {},
      passEnv: [],
    }));

  it('may say everything', () => {
    const all = {
      argv: ['/usr/bin/agent', '--id={runId}', '-'],
      promptBy: 'stdin',
      cwd: '/srv',
      env: { A: '' },
      passEnv: ['API_KEY'],
      timeLimitMs: 60_000,
    };
    expect(valid(all)).toEqual(all);
  });

  it.each([
    [null, ['must be an object', 'argv: must name a program']],
    [{ argv: 'agent {prompt}' }, ['argv: must be a list of at most 256 texts without NUL']],
    [{ argv: [] }, ['argv: must name a program']],
    [{ argv: ['-rf', '{prompt}'] }, ['argv: a program can not begin with a dash']],
    [{ argv: ['{prompt}', '{prompt}'] }, ['argv: the program itself takes no placeholder']],
    [{ argv: ['agent'] }, ['argv: needs {prompt}, or promptBy must be stdin']],
    [{ argv: ['agent', '{{prompt}}'] }, ['argv: needs {prompt}, or promptBy must be stdin']],
    [
      { argv: ['agent', '{prompt}'], promptBy: 'stdin' },
      ['argv: has {prompt}, but promptBy is stdin'],
    ],
    [
      { argv: ['agent', '{prompt}', '{home}'] },
      ['argv: unknown placeholder {home}; there are {prompt} {agent} {runId} {session} {workdir}'],
    ],
    [
      { argv: ['agent', '{prompt}'], promptBy: 'file' },
      ['promptBy: must be one of argument, stdin'],
    ],
    [{ argv: ['agent', '{prompt}'], cwd: 'here' }, ['cwd: must be an absolute path']],
    [
      { argv: ['agent', '{prompt}'], env: { 'A.B': '1', HOLDFAST_WORK: 'x' }, passEnv: ['A-B'] },
      [
        'env: A.B is not a name that a program can be given',
        'env: HOLDFAST_WORK is not a name that a program can be given',
        'env: A-B is not a name that a program can be given',
      ],
    ],
    [
      { argv: ['agent', '{prompt}'], timeLimitMs: 1, comand: 'x' },
      ['timeLimitMs: must be a whole number from 100 to 604800000', 'comand: unknown field'],
    ],
  ])('is refused with all its problems: %j', (raw, expected) => {
    const found = problems(raw);
    for (const problem of expected) expect(found).toContain(problem);
  });
});

describe('the plan of a command-line run', () => {
  it('fills the template, and looks at nothing twice', () => {
    const config = valid({
      argv: [
        'agent',
        '--as={agent}',
        '--run={runId}',
        '--',
        '{prompt}',
        '{session} {workdir}',
        '{{json}}',
      ],
      env: { A: '1' },
    });
    expect(cliAdapter.plan(order('say {runId} and $& twice'), config)).toEqual({
      argv: [
        'agent',
        '--as=writer',
        '--run=run-1',
        '--',
        'say {runId} and $& twice',
        'session-1 /work/run-1/2',
        '{json}',
      ],
      env: { A: '1' },
      passEnv: [],
      files: [],
    });
  });

  it('gives the prompt by standard input, whatever is in it', () => {
    const config = valid({ argv: ['agent'], promptBy: 'stdin', cwd: '/srv', timeLimitMs: 5_000 });
    expect(cliAdapter.plan(order('nul \0 and {prompt}'), config)).toEqual({
      argv: ['agent'],
      cwd: '/srv',
      env: {},
      passEnv: [],
      files: [],
      stdin: 'nul \0 and {prompt}',
      timeLimitMs: 5_000,
    });
  });

  it('is refused for a prompt that the kernel would refuse', () => {
    const config = valid({ argv: ['agent', '{prompt}'] });
    expect(cliAdapter.plan(order('x'.repeat(131_071)), config).argv[1]).toHaveLength(131_071);
    const refusal = (prompt: string): unknown => {
      try {
        return cliAdapter.plan(order(prompt), config);
      } catch (error) {
        return error instanceof PlanRefused ? error.code : error;
      }
    };
    expect(refusal('x'.repeat(131_072))).toBe('PROMPT_TOO_LARGE');
    expect(refusal('€'.repeat(43_691))).toBe('PROMPT_TOO_LARGE');
    expect(refusal('a\0b')).toBe('PROMPT_NOT_TEXT');
  });

  it('is refused for a resumption: the prompt is sent once, or not at all', () => {
    const config = valid({ argv: ['agent', '{prompt}'] });
    const resume: WorkOrder = { ...order(''), ask: { kind: 'resume', references: {} } };
    expect(() => cliAdapter.plan(resume, config)).toThrow(PlanRefused);
    expect(cliAdapter.capabilities(config).attempts).toBe('single');
  });

  it.each([
    [['agent', '{prompt}'], 131_071],
    [['agent', '--say={prompt}'], 131_065],
    [['agent', '{prompt}{prompt}'], 65_535],
    [['agent', '{runId}{prompt}'], 126_975],
  ])('tells beforehand how long a prompt may be: %j %i', (argv, bytes) =>
    expect(cliAdapter.promptMaxBytes(valid({ argv }))).toBe(bytes),
  );

  it('takes the full size by standard input', () =>
    expect(cliAdapter.promptMaxBytes(valid({ argv: ['agent'], promptBy: 'stdin' }))).toBe(262_144));
});

describe('what the evidence of a command-line run says', () => {
  const config = valid({ argv: ['agent', '{prompt}'] });
  const interpret = (end: AttemptEvidence['end'], outputBytes: number): unknown =>
    cliAdapter.interpret({ end, outputBytes, receipts: [] }, config);
  const failed = (code: string, message: string, exit: object): object => ({
    kind: 'failed',
    code,
    message,
    exit,
    references: {},
  });

  it('is completed with exit code 0 and output', () =>
    expect(interpret({ kind: 'exited', code: 0 }, 1)).toEqual({
      kind: 'completed',
      exit: { code: 0 },
      references: {},
      readBack: false,
    }));

  it('is failed with another exit code', () =>
    expect(interpret({ kind: 'exited', code: 3 }, 10)).toEqual(
      failed('AGENT_EXITED', 'the program ended with exit code 3', { code: 3 }),
    ));

  it('is failed by a signal', () =>
    expect(interpret({ kind: 'exited', code: 137, signal: 'SIGKILL' }, 10)).toEqual(
      failed('AGENT_EXITED', 'the program ended by SIGKILL', { code: 137, signal: 'SIGKILL' }),
    ));

  it.each([0, 1])('@FM-46 is failed without output, with exit code %i', (code) =>
    expect(interpret({ kind: 'exited', code }, 0)).toEqual(
      failed('AGENT_NO_OUTPUT', `the program ended with exit code ${code} without any output`, {
        code,
      }),
    ),
  );

  it('is failed when there was nothing to execute, though the shell said so in the output', () =>
    expect(interpret({ kind: 'not-started', reason: 'unstartable' }, 40)).toEqual({
      kind: 'failed',
      code: 'AGENT_NOT_STARTABLE',
      message: 'the program could not be executed',
      references: {},
    }));

  it('is not started when go never came', () =>
    expect(interpret({ kind: 'not-started', reason: 'no-go' }, 0)).toEqual({
      kind: 'not-started',
    }));

  it('@FM-03 is lost when nobody saw the exit, with output or without', () => {
    for (const bytes of [0, 10])
      expect(interpret({ kind: 'gone' }, bytes)).toEqual({
        kind: 'lost',
        reason: 'exit-not-seen',
        references: {},
      });
  });
});
