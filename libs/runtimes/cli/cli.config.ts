import { ConfigCheck, type Validated } from '#runtimes';
import { PLACEHOLDERS, unknownPlaceholders, uses } from './argv-template.js';

/** A program as an agent. */
export interface CliConfig {
  /** Program and arguments, with placeholders; see {@link PLACEHOLDERS}. */
  readonly argv: readonly [string, ...string[]];
  /** How the program gets the prompt. An argument is limited by the kernel, standard input is not. */
  readonly promptBy: 'argument' | 'stdin';
  /** Absolute. Without it an empty folder of the generation's own. */
  readonly cwd?: string;
  /** Additions to the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that it gets from the node-agent's environment. */
  readonly passEnv: readonly string[];
  /** Unit: milliseconds, from `go`. Without it there is no limit. */
  readonly timeLimitMs?: number;
}

/** Source: more arguments than any known agent takes; the kernel's bound on all of them together is about 2 MiB. */
const ARGUMENTS_MAX = 256;
/** From a tenth of a second, for tests, to a week. */
const TIME_LIMIT_MS: readonly [number, number] = [100, 604_800_000];
/** What a POSIX shell passes on; others it drops. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = 'HOLDFAST_WORK';

export const validateCliConfig = (raw: unknown): Validated<CliConfig> => {
  const check = new ConfigCheck(raw);
  const argv = check.texts('argv', ARGUMENTS_MAX) ?? [];
  const promptBy = check.oneOf('promptBy', ['argument', 'stdin']) ?? 'argument';
  const cwd = check.absolutePath('cwd');
  const env = check.textsByName('env') ?? {};
  const passEnv = check.texts('passEnv', ARGUMENTS_MAX) ?? [];
  const timeLimitMs = check.integer('timeLimitMs', TIME_LIMIT_MS);

  const [program = '', ...rest] = argv;
  check.refuseIf(program === '', 'argv: must name a program');
  check.refuseIf(program.startsWith('-'), 'argv: a program can not begin with a dash');
  check.refuseIf(/[{}]/.test(program), 'argv: the program itself takes no placeholder');
  const known = PLACEHOLDERS.map((name) => `{${name}}`).join(' ');
  for (const name of unknownPlaceholders(rest))
    check.problems.push(`argv: unknown placeholder {${name}}; there are ${known}`);
  const inArguments = uses(rest, 'prompt');
  check.refuseIf(
    promptBy === 'argument' && !inArguments,
    'argv: needs {prompt}, or promptBy must be stdin',
  );
  check.refuseIf(promptBy === 'stdin' && inArguments, 'argv: has {prompt}, but promptBy is stdin');
  for (const name of [...Object.keys(env), ...passEnv])
    check.refuseIf(
      !VARIABLE.test(name) || name === RESERVED,
      `env: ${name} is not a name that a program can be given`,
    );
  return check.finish(() => ({
    argv: [program, ...rest],
    promptBy,
    env,
    passEnv,
    ...(cwd !== undefined && { cwd }),
    ...(timeLimitMs !== undefined && { timeLimitMs }),
  }));
};
