import type { VerbFactory } from './verb-factory.js';
import { resolve, type ResolveOptions } from './verbs/resolve.js';
import { stop, type StopOptions } from './verbs/stop.js';
import { submit, type SubmitOptions } from './verbs/submit.js';
import { watch } from './verbs/watch.js';

/** What is said of `--key` wherever something is asked for. */
export const KEY =
  'the idempotency key: the same key never does it twice (default: a new one, printed)';

/** The verbs that command something, and the one that follows it. */
export const followVerbs = ({ verb, perform }: VerbFactory): void => {
  const submitting = verb('submit <agent> [prompt]', 'run a prompt once on an agent', [
    'submit echo "Hello" --wait',
    'submit echo --prompt-file task.md --key nightly-2026-11-29',
    'submit reviewer - --wait < change.diff',
  ]);
  submitting
    .option('--session <id>', 'queue it in this session; one run of a session is active at a time')
    .option('--prompt-file <file>', 'read the prompt from a file')
    .option('--key <key>', KEY)
    .option('--wait', 'print its output, and exit with its outcome')
    .action((agent: string, prompt: string | undefined) =>
      perform(submitting, (it) => submit(it, agent, prompt, submitting.opts<SubmitOptions>())),
    );

  const stopping = verb(
    'stop [run]',
    'end a run, or a spawned agent; a stop that is accepted first decides',
    ['stop 6f1c… --reason "wrong branch" --wait', 'stop --agent 0b9e… --reason "no longer needed"'],
  );
  stopping
    .option('--agent <spawn>', 'end the agent that this spawn started, instead of a run')
    .option('--reason <text>', 'why: kept with what is stopped', 'stopped from the command line')
    .option('--key <key>', KEY)
    .option(
      '--wait',
      `until it is proven to have stopped, or that can not be known; without it only the stop's id is printed`,
    )
    .action((run: string | undefined) =>
      perform(stopping, (it) => stop(it, run, stopping.opts<StopOptions>())),
    );

  const resolving = verb('resolve <run>', 'settle an unknown outcome by your own decision', [
    'resolve 6f1c… --as completed --note "the commit is there: 9a8b7c6"',
  ]);
  resolving
    .requiredOption('--as <outcome>', 'completed, failed or abandoned (required)')
    .requiredOption('--note <text>', 'why: kept with the run (required)')
    .option('--key <key>', KEY)
    .action((run: string) =>
      perform(resolving, (it) => resolve(it, run, resolving.opts<ResolveOptions>())),
    );

  const watching = verb('watch [run]', 'follow a run to its outcome, or everything until Ctrl-C', [
    'watch',
    'watch 6f1c…',
  ]);
  watching.addHelpText(
    'after',
    'An interrupted watch of a run exits 3: its outcome is not known, and the run goes on.',
  );
  watching.action((run: string | undefined) => perform(watching, (it) => watch(it, run)));
};
