import { transformFile } from '@swc/core';
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from './repository-root.js';

/**
 * This library as plain JavaScript, for a test that needs it in a process of its own, such as one to kill.
 *
 * @returns a new folder inside the checkout's `.cache`; the caller removes it.
 */
export const compiledLibrary = async (): Promise<string> => {
  const source = dirname(fileURLToPath(import.meta.url));
  await mkdir(join(repositoryRoot(), '.cache'), { recursive: true });
  const folder = await mkdtemp(join(repositoryRoot(), '.cache', 'compiled-'));
  const files = (await readdir(source)).filter(
    (file) => file.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(file),
  );
  await Promise.all(
    files.map(async (file) => {
      const { code } = await transformFile(join(source, file), {
        swcrc: false,
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      });
      await writeFile(join(folder, file.replace(/\.ts$/, '.js')), code);
    }),
  );
  return folder;
};
