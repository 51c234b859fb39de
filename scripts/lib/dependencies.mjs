import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';

/** How long `npm ci` may take, in milliseconds; about 500 packages, most of it the network. */
const INSTALL_MAX_MS = 15 * 60_000;

/** @param {string} path @returns {{ packages?: Record<string, { version?: string, optional?: boolean }> } | undefined} */
const lockfile = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Whether `node_modules` holds what `package-lock.json` says, by npm's own record of what it installed.
 * What the lock file calls optional may be missing: npm leaves out what is for other machines.
 *
 * @param {string} root the checkout
 */
export const dependenciesAreCurrent = (root) => {
  const wanted = lockfile(join(root, 'package-lock.json'))?.packages;
  const installed = lockfile(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (wanted === undefined) throw new Error(`${root} holds no package-lock.json`);
  if (installed === undefined) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || installed[path]?.version === version || (optional && !installed[path]),
  );
};

/**
 * Installs what the lock file says, if that is not what is there; needs nothing but Node.js and npm.
 *
 * @param {string} root the checkout
 * @returns {Promise<{ ok: boolean, output: string, installed: boolean }>}
 */
export const installDependencies = async (root) => {
  if (dependenciesAreCurrent(root)) return { ok: true, output: '', installed: false };
  // Everything, whatever NODE_ENV or a user's settings say: the build needs the development tools.
  const arguments_ = ['ci', '--include=dev', '--include=optional', '--loglevel=error'];
  const { code, output } = await runChild('npm', arguments_, {
    cwd: root,
    limitMs: INSTALL_MAX_MS,
    env: { NODE_ENV: undefined },
  });
  return { ok: code === 0, output, installed: true };
};
