import { fileURLToPath } from 'node:url';

const SOURCE_LOADER = new URL('../../testing/source-loader/register.mjs', import.meta.url).href;

/**
 * How to start a program that is part of this project: plain from the build, and through the loader for sources when the
 * sources themselves are running, as in tests.
 *
 * @param name relative, without extension: `./driver`.
 * @param from the caller's `import.meta.url`.
 */
export const ownProgram = (name: string, from: string): readonly [string, ...string[]] => {
  const fromSources = from.endsWith('.ts');
  const file = fileURLToPath(new URL(`${name}.${fromSources ? 'ts' : 'js'}`, from));
  return fromSources
    ? [process.execPath, '--conditions=holdfast-source', '--import', SOURCE_LOADER, file]
    : [process.execPath, file];
};
