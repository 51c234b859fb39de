import { Command, CommanderError, Option } from 'commander';
import { EXIT, VerbFailed, type ExitCode } from './exit-codes.js';
import { followVerbs } from './verbs.follow.js';
import { lookVerbs } from './verbs.look.js';
import { nodeVerbs } from './verbs.nodes.js';
import { spawnVerbs } from './verbs.spawns.js';
import type { Io } from './io.js';
import { openVerb, printJson, type CommonOptions } from './verb.js';
import type { VerbFactory } from './verb-factory.js';

/**
 * Runs the command line.
 *
 * @param args without the interpreter and the script.
 * @returns what the process should exit with.
 */
export const run = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  let exitCode: ExitCode = EXIT.done;
  let isJson = false;
  const program = new Command('holdfast')
    .description(
      'The command line of Holdfast, a control plane for work that must not be done twice.',
    )
    .version(io.version, '--version', 'print the version')
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
    })
    .addHelpText('after', FOOTER);
  const factory: VerbFactory = {
    verb: (usage, summary, examples, group = program) =>
      group
        .command(usage)
        .description(summary)
        .addOption(new Option('--json', 'print what the HTTP API answers'))
        .addOption(new Option('--url <url>', 'the server; else HOLDFAST_URL, else the local stack'))
        .addHelpText(
          'after',
          `\nExamples:\n${examples.map((line) => `  $ holdfast ${line}\n`).join('')}`,
        )
        .exitOverride(),
    group: (name, summary) => program.command(name).description(summary).exitOverride(),
    perform: async (command, action, identity = 'operator') => {
      const options = command.optsWithGlobals<CommonOptions>();
      isJson = options.json === true;
      exitCode = await action(openVerb(io, options, identity));
    },
  };
  followVerbs(factory);
  spawnVerbs(factory);
  lookVerbs(factory);
  nodeVerbs(factory);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, io, isJson);
  }
};

const FOOTER = `
Exit codes: 0 done; 1 refused or failed; 2 wrong usage, no server, or no valid token; 3 the
outcome is not known.
HOLDFAST_URL and HOLDFAST_TOKEN name another server; without them the local stack is meant.
NO_COLOR switches colours off.
`;

const explain = (error: unknown, io: Io, isJson: boolean): ExitCode => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof VerbFailed)) throw error;
  if (isJson && error.problem !== undefined) printJson(io, error.problem);
  io.err.write(`holdfast: ${error.message}\n`);
  for (const remedy of error.remedies) io.err.write(`  ${remedy}\n`);
  return error.exitCode;
};
