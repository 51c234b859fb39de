import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/** A relative import of `x.js` means `x.ts` where only that exists, as TypeScript's own resolution has it. */
export const resolve = async (specifier, context, next) => {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL !== undefined) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (source.protocol === 'file:' && existsSync(source)) return next(source.href, context);
  }
  return next(specifier, context);
};

/** Types out, decorators down, nothing else: the same transform as the tests use. */
export const load = async (url, context, next) => {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
};
