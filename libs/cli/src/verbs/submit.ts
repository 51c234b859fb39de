import { randomUUID } from 'node:crypto';
import type { SubmissionView } from '#contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { reportEnd, waitForRun, waitWithOutput } from '../follow.js';
import { textFrom } from '../given-text.js';
import type { Io } from '../io.js';
import { printJson, type Verb } from '../verb.js';

export interface SubmitOptions {
  readonly session?: string;
  readonly key?: string;
  readonly wait?: boolean;
  readonly promptFile?: string;
}

/** The most that a prompt may have, KiB. Source: the bound of the API. */
const PROMPT_KIB_MAX = 256;

/** Submits a prompt under a key, and follows it to its outcome when asked to. */
export const submit = async (
  verb: Verb,
  agent: string,
  prompt: string | undefined,
  options: SubmitOptions,
): Promise<ExitCode> => {
  const { io, api } = verb;
  const body = {
    agent,
    prompt: await textFrom(io, {
      what: 'prompt',
      argument: prompt,
      file: options.promptFile,
      fileOption: '--prompt-file',
      kibMax: PROMPT_KIB_MAX,
    }),
    ...(options.session === undefined ? {} : { session: options.session }),
  };
  const key = keyFor(io, options.key);
  const { value: run, replayed } = await api.command<SubmissionView>('/v1/submissions', body, key);
  if (replayed) io.err.write('this key was used before: this is the run that it made\n');
  if (options.wait !== true) {
    if (verb.json) printJson(io, run);
    else io.out.write(`${run.runId}\n`);
    return EXIT.done;
  }
  io.err.write(`run  ${run.runId}\n`);
  if (verb.json) {
    const end = await waitForRun(verb, run.runId, ({ status }) => io.err.write(`${status}\n`));
    printJson(io, end);
    return reportEnd(verb, end);
  }
  return reportEnd(verb, await waitWithOutput(verb, run.runId));
};

/** The given key, or a new one, which is shown: whoever loses the answer can ask again with it. */
export const keyFor = (io: Io, given: string | undefined): string => {
  if (given !== undefined) return given;
  const key = randomUUID();
  io.err.write(`key  ${key}\n`);
  return key;
};
