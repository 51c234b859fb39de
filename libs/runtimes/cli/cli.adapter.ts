import {
  PlanRefused,
  type AttemptEnd,
  type AttemptEvidence,
  type LaunchPlan,
  type RuntimeAdapter,
  type RuntimeCapabilities,
  type WorkOrder,
} from '#runtimes';
import { fill, PLACEHOLDERS, type Placeholder } from './argv-template.js';
import { validateCliConfig, type CliConfig } from './cli.config.js';

/** The kernel takes 131,072 bytes for one argument, its closing NUL included. */
const ARGUMENT_MAX_BYTES = 131_071;
/** By standard input: the protocol's bound for a prompt. */
const PROMPT_MAX_BYTES = 262_144;
/** Longest that a placeholder other than the prompt can get: a path, by the kernel's bound. */
const VALUE_MAX_BYTES = 4_096;

/**
 * A program on the command line can't be asked what became of a prompt, so it gets one attempt. It would go on without its
 * agent, and is adopted after a crash; but an agent that ends in order ends it, because nobody may look at it again.
 */
const CAPABILITIES: RuntimeCapabilities = {
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: false,
  outlivesClient: false,
};

export const cliAdapter: RuntimeAdapter<CliConfig> = {
  name: 'cli',
  capabilities: () => CAPABILITIES,
  validateConfig: validateCliConfig,
  promptMaxBytes: (config) =>
    config.promptBy === 'stdin'
      ? PROMPT_MAX_BYTES
      : Math.min(PROMPT_MAX_BYTES, ...config.argv.map(roomForPrompt)),
  plan: (order, config) => planCli(order, config),
  interpret: (evidence) => interpretCli(evidence),
};

/** How long a prompt may be for this argument to stay within the kernel's bound, whatever else goes into it. */
const roomForPrompt = (argument: string): number => {
  const parts = argument.split('{prompt}');
  if (parts.length === 1) return Infinity;
  const longest = Object.fromEntries(
    PLACEHOLDERS.map((name) => [name, 'x'.repeat(name === 'prompt' ? 0 : VALUE_MAX_BYTES)]),
  ) as Record<Placeholder, string>;
  const others = Buffer.byteLength(fill(argument, longest));
  return Math.max(0, Math.floor((ARGUMENT_MAX_BYTES - others) / (parts.length - 1)));
};

const planCli = (order: WorkOrder, config: CliConfig): LaunchPlan => {
  if (order.ask.kind === 'resume')
    throw new PlanRefused('NOT_RESUMABLE', 'a program on the command line can not be resumed');
  const { prompt } = order.ask;
  const byArgument = config.promptBy === 'argument';
  if (byArgument && prompt.includes('\0'))
    throw new PlanRefused('PROMPT_NOT_TEXT', 'an argument can not contain a NUL character');
  const { agent, runId, session, workdir } = order;
  const [program, ...template] = config.argv;
  const values = { prompt, agent, runId, session, workdir };
  const filled = template.map((argument) => fill(argument, values));
  if (filled.some((argument) => Buffer.byteLength(argument) > ARGUMENT_MAX_BYTES))
    throw new PlanRefused(
      'PROMPT_TOO_LARGE',
      `an argument takes at most ${ARGUMENT_MAX_BYTES} bytes: give the prompt by standard input`,
    );
  return {
    argv: [program, ...filled],
    ...(config.cwd !== undefined && { cwd: config.cwd }),
    env: config.env,
    passEnv: config.passEnv,
    files: [],
    ...(!byArgument && { stdin: prompt }),
    ...(config.timeLimitMs !== undefined && { timeLimitMs: config.timeLimitMs }),
  };
};

const interpretCli = ({ end, outputBytes }: AttemptEvidence): AttemptEnd => {
  const references = {};
  switch (end.kind) {
    case 'gone':
      return { kind: 'lost', reason: 'exit-not-seen', references };
    case 'not-started':
      return end.reason === 'no-go'
        ? { kind: 'not-started' }
        : {
            kind: 'failed',
            code: 'AGENT_NOT_STARTABLE',
            message: 'the program could not be executed',
            references,
          };
    case 'exited': {
      const { code, signal } = end;
      const exit = { code, ...(signal !== undefined && { signal }) };
      const how = signal === undefined ? `with exit code ${code}` : `by ${signal}`;
      // An agent that said nothing did nothing for its caller, whatever its exit code claims.
      if (outputBytes === 0) {
        const message = `the program ended ${how} without any output`;
        return { kind: 'failed', code: 'AGENT_NO_OUTPUT', message, exit, references };
      }
      if (code === 0) return { kind: 'completed', exit, references, readBack: false };
      const message = `the program ended ${how}`;
      return { kind: 'failed', code: 'AGENT_EXITED', message, exit, references };
    }
  }
};
