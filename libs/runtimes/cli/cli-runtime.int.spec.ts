import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptEnd, RuntimeAdapter, WorkOrder } from '#runtimes';
import {
  describeSingleAttemptRuntime,
  type SingleCaseName,
  type SingleUnderTest,
} from '#runtimes/port/conformance';
import { Attempts } from '../testing/attempts.fixture.js';
import { cliAdapter } from './cli.adapter.js';

const cli = cliAdapter as RuntimeAdapter;

/** A shell that writes to a ledger before it does what its prompt says. */
const underTest = (
  adapter: RuntimeAdapter,
  promptBy: 'argument' | 'stdin',
): Promise<SingleUnderTest> => {
  const ledger = (): string => join(attempts.folder, 'ledger');
  const script = 'echo start >>"$LEDGER"; eval "$1"';
  const argv =
    promptBy === 'argument'
      ? ['/bin/sh', '-c', script, 'agent', '{prompt}']
      : ['/bin/sh', '-c', 'echo start >>"$LEDGER"; eval "$(cat)"'];
  const config = (): unknown => {
    const checked = adapter.validateConfig({ argv, promptBy, env: { LEDGER: ledger() } });
    if (!checked.ok) throw new Error(checked.problems.join('; '));
    return checked.config;
  };
  const attempts = new Attempts(adapter, config);
  return Promise.resolve({
    adapter,
    config: config(),
    prompts: {
      quick: 'echo hello',
      slow: 'sleep 60',
      answer: 'hello\n',
      silent: 'exit 0',
      fails: 'echo no; exit 3',
    },
    begin: (prompt) => attempts.begin(prompt),
    resume: () => attempts.resume(),
    starts: () =>
      existsSync(ledger()) ? readFileSync(ledger(), 'utf8').split('\n').length - 1 : 0,
    close: () => attempts.sweep(),
  });
};

const tags = { 'killed is lost': '@FM-03', 'silence is a failure': '@FM-46' } as const;
describeSingleAttemptRuntime('cli, prompt by argument', () => underTest(cli, 'argument'), { tags });
describeSingleAttemptRuntime('cli, prompt by standard input', () => underTest(cli, 'stdin'), {
  tags,
});

const startsAgain: RuntimeAdapter = {
  ...cli,
  // The first attempt is what it is: it must still be at work when it is killed.
  plan: (order: WorkOrder, config) =>
    cli.plan(
      order.ask.kind === 'initial'
        ? order
        : { ...order, ask: { kind: 'initial', prompt: 'echo again' } },
      config,
    ),
};
const claimsMore: RuntimeAdapter = {
  ...cli,
  capabilities: (config) => ({ ...cli.capabilities(config), attempts: 'resumable' }),
};
const reading = (wrong: Readonly<Partial<Record<AttemptEnd['kind'], AttemptEnd>>>) => ({
  ...cli,
  interpret: (...evidence: Parameters<RuntimeAdapter['interpret']>): AttemptEnd => {
    const end = cli.interpret(...evidence);
    return wrong[end.kind] ?? end;
  },
});
const completed: AttemptEnd = { kind: 'completed', references: {}, readBack: false };
const failed: AttemptEnd = { kind: 'failed', code: 'AGENT_EXITED', message: '', references: {} };

const broken: readonly (readonly [string, RuntimeAdapter, SingleCaseName])[] = [
  ['starts again', startsAgain, 'refuses a resumption'],
  ['claims to be resumable', claimsMore, 'declares one attempt'],
  ['calls the unknown failed', reading({ lost: failed }), 'killed is lost'],
  ['calls silence an answer', reading({ failed: completed }), 'silence is a failure'],
  ['calls a failure an answer', reading({ failed: completed }), 'a failure is a failure'],
  ['calls an answer a failure', reading({ completed: failed }), 'one prompt, one answer'],
];
for (const [what, adapter, breaks] of broken)
  describeSingleAttemptRuntime(
    `an adapter that ${what} (negative control)`,
    () => underTest(adapter, 'argument'),
    { breaks },
  );
