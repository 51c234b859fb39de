import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { renameSync, writeFileSync } from 'node:fs';

/** Makes a folder that only its owner may enter, its parents too when they are absent. */
export const makePrivateFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700); // It may have been there before, with another mode.
};

/** Writes a file that only its owner may read. Readers see the old text or the new one, nothing between. */
export const writePrivateFile = async (path: string, text: string): Promise<void> => {
  const complete = `${path}.${randomUUID()}`;
  await writeFile(complete, text, { mode: 0o600 });
  await rename(complete, path);
};

/** The same, before the call returns: for what must be on record before anything else happens. */
export const writePrivateFileSync = (path: string, text: string): void => {
  const complete = `${path}.${randomUUID()}`;
  writeFileSync(complete, text, { mode: 0o600 });
  renameSync(complete, path);
};

/** The text of a file, or `undefined` when there is none. */
export const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
};

/**
 * A secret that is made once and then kept: its first line, without the line's end.
 * A file that others could read is made private.
 */
export const keptSecret = async (path: string, make: () => string): Promise<string> => {
  const kept = (await readIfPresent(path))?.trim();
  if (kept !== undefined && kept !== '') {
    await chmod(path, 0o600);
    return kept;
  }
  const made = make();
  await writePrivateFile(path, `${made}\n`);
  return made;
};
