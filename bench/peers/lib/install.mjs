import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INSTALL_MAX_MS = 10 * 60_000;

/**
 * Installs the peers where they are measured, on first use and after their lock file changed.
 *
 * @param {string} folder with package.json and package-lock.json.
 * @throws {Error} with the end of what npm said.
 */
export const installPeers = async (folder) => {
  const wanted = await lockedVersions(join(folder, 'package-lock.json'));
  const there = await lockedVersions(join(folder, 'node_modules/.package-lock.json'));
  if (wanted === there) return;
  console.error(`installing the peers into ${join(folder, 'node_modules')} with npm ci, once …`);
  try {
    await promisify(execFile)('npm', ['ci'], { cwd: folder, timeout: INSTALL_MAX_MS });
  } catch (cause) {
    const { stderr = '' } = /** @type {{ stderr?: string }} */ (cause);
    throw new Error(`npm ci failed in ${folder}:\n${stderr.slice(-2_000)}`, { cause });
  }
};

/** What a lock file says is installed; undefined when there is none. @param {string} file */
const lockedVersions = async (file) => {
  try {
    const { packages } = JSON.parse(await readFile(file, 'utf8'));
    delete packages['']; // The folder's own package is not listed among what was installed.
    return Object.entries(packages)
      .map(([path, { version }]) => `${path} ${version}`)
      .sort()
      .join('\n');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
};
