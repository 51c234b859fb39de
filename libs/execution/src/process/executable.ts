import { accessSync, constants, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';

/**
 * Where a program may lie, in the order in which it is looked for.
 *
 * @param name a path, or a name to be searched for in `path`.
 * @param cwd absolute: what is relative is relative to it.
 */
export const candidatesOf = (
  name: string,
  cwd: string,
  path: string | undefined,
): readonly string[] =>
  name.includes('/')
    ? [resolve(cwd, name)]
    : (path ?? '').split(delimiter).map((folder) => resolve(cwd, folder, name));

export const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** The same, at once: for what is asked often, and must not wait. */
export const isExecutableNow = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
