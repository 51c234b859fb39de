import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** What a program can make of its files: remove them or their folder, close them, or put something else in their place. */
const NO_FILE: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'ENXIO',
]);

/** Whether an error of the file system says that a program left nothing there to read; any other may pass, and is thrown. */
export const leftNothing = (error: unknown): boolean =>
  NO_FILE.has((error as NodeJS.ErrnoException).code ?? '');

/**
 * A file in which a program, or what watches it, left evidence; undefined when there is no such file. The program may have
 * done anything to it, so a pipe is not waited for, and a device not read.
 */
export const openEvidence = async (path: string): Promise<FileHandle | undefined> => {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return undefined;
  } catch (error) {
    if (leftNothing(error)) return undefined;
    throw error;
  }
};

/**
 * What stands in such a file, or undefined when there is none.
 *
 * @param maxBytes what is beyond them is not read: a program can write more than fits into memory.
 */
export const readEvidence = async (
  path: string,
  maxBytes: number,
  from = 0,
): Promise<Buffer | undefined> => {
  const file = await openEvidence(path);
  if (file === undefined) return undefined;
  try {
    const length = Math.max(0, Math.min(maxBytes, (await file.stat()).size - from));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};
