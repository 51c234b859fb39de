import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

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
  const source = await transformed(filename, await readFile(filename, 'utf8'));
  return { format: 'module', source, shortCircuit: true };
};

const CACHE = new URL('../../../.cache/source-loader/', import.meta.url);

/** Kept by content: tests start many short processes, and loading the compiler is most of their start. */
const transformed = async (filename, text) => {
  const key = createHash('sha256').update(`1 ${filename}\n${text}`).digest('hex');
  const cached = new URL(key, CACHE);
  try {
    return await readFile(cached, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const { transform } = await import('@swc/core');
  const { code } = await transform(text, {
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
  await mkdir(CACHE, { recursive: true });
  const unfinished = new URL(`${key}.${process.pid}`, CACHE);
  await writeFile(unfinished, code);
  await rename(unfinished, cached);
  return code;
};
