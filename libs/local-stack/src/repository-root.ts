import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of this checkout: the nearest one above this file with Holdfast's `package.json`.
 * The same whether the code runs from source or from `dist/`.
 *
 * @throws Error when the file was copied out of the checkout.
 */
export const repositoryRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) {
      const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly name?: string };
      if (name === 'holdfast') return folder;
    }
    const parent = dirname(folder);
    if (parent === folder) throw new Error('bug: no holdfast package.json above this file');
    folder = parent;
  }
};
