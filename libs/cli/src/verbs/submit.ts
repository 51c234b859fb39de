import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SubmissionView } from '#contracts';
import { EXIT, VerbFailed, type ExitCode } from '../exit-codes.js';
import { reportEnd, waitForRun, waitWithOutput } from '../follow.js';
import type { Io } from '../io.js';
import { printJson, type Verb } from '../verb.js';

export interface SubmitOptions {
  readonly session?: string;
  readonly key?: string;
  readonly wait?: boolean;
  readonly promptFile?: string;
}

/** The server takes 256 KiB; whatever is larger is not worth sending, and need not be read to its end. Bytes. */
const PROMPT_READ_MAX = 512 * 1024;

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
    prompt: await promptFrom(io, prompt, options.promptFile),
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

const promptFrom = async (
  io: Io,
  argument: string | undefined,
  file: string | undefined,
): Promise<string> => {
  if (file !== undefined && argument !== undefined)
    throw new VerbFailed(
      EXIT.usage,
      'give the prompt as an argument or as --prompt-file, not both',
    );
  if (file !== undefined) return text(await contentOf(resolve(io.cwd, file)), file);
  if (argument === '-') return text(await readAll(io.stdin), 'standard input');
  if (argument !== undefined) return argument;
  throw new VerbFailed(EXIT.usage, 'there is no prompt', {
    remedies: ['Give it as an argument, as - to read standard input, or with --prompt-file.'],
  });
};

const contentOf = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new VerbFailed(EXIT.usage, `${path} can't be read`, { cause });
  }
};

const readAll = async (stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > PROMPT_READ_MAX)
      throw new VerbFailed(EXIT.usage, 'standard input is larger than a prompt can be (256 KiB)');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const text = (bytes: Uint8Array, source: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new VerbFailed(EXIT.usage, `${source} is not UTF-8 text`, { cause });
  }
};
