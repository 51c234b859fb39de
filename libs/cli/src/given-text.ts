import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT, VerbFailed } from './exit-codes.js';
import type { Io } from './io.js';

/** A text that may be long, and where a verb takes it from. */
export interface GivenText {
  /** What it is, such as `prompt`. */
  readonly what: string;
  /** `-` stands for standard input. */
  readonly argument: string | undefined;
  readonly file: string | undefined;
  /** The option that names the file. */
  readonly fileOption: string;
  /** The most that the server takes, KiB. Up to twice that is read: only the server says what is too large. */
  readonly kibMax: number;
}

/** @throws VerbFailed (usage) there is none, there are two, or it can't be read. */
export const textFrom = async (io: Io, given: GivenText): Promise<string> => {
  const { what, argument, file, fileOption } = given;
  if (file !== undefined && argument !== undefined)
    throw new VerbFailed(
      EXIT.usage,
      `give the ${what} as an argument or as ${fileOption}, not both`,
    );
  if (file !== undefined) return decoded(await contentOf(resolve(io.cwd, file)), file);
  if (argument === '-') return decoded(await readAll(io.stdin, given), 'standard input');
  if (argument !== undefined) return argument;
  throw new VerbFailed(EXIT.usage, `there is no ${what}`, {
    remedies: [`Give it as an argument, as - to read standard input, or with ${fileOption}.`],
  });
};

const contentOf = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new VerbFailed(EXIT.usage, `${path} can't be read`, { cause });
  }
};

const readAll = async (
  stream: AsyncIterable<Uint8Array>,
  { what, kibMax }: GivenText,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > 2 * kibMax * 1_024)
      throw new VerbFailed(
        EXIT.usage,
        `standard input is larger than a ${what} can be (${kibMax} KiB)`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const decoded = (bytes: Uint8Array, source: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new VerbFailed(EXIT.usage, `${source} is not UTF-8 text`, { cause });
  }
};
