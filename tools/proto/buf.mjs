import { execFile } from 'node:child_process';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../..');

/**
 * Runs buf, which its npm package ships as a binary: no compiler and no network are needed.
 *
 * @param {readonly string[]} arguments_
 * @param {string} [cwd] the folder with `buf.yaml`; the repository when left out.
 * @returns {Promise<{ code: number, output: string }>} never rejects for what buf finds.
 */
export const buf = (arguments_, cwd = REPOSITORY) =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(REPOSITORY, 'node_modules/@bufbuild/buf/bin/buf'), ...arguments_],
      { cwd, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127;
        resolve({ code, output: `${stdout}${stderr}` });
      },
    );
  });
