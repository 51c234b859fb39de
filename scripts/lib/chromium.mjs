import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runChild } from './child.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** How long each apt-get may take, in milliseconds; about 100 MB to download. */
const APT_MAX_MS = 10 * 60_000;

/** @param {string} path */
const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === undefined) throw error;
    return false;
  }
};

/** The browser that the dashboard is tested in: `HOLDFAST_CHROMIUM`, or the first that is on PATH. */
export const findChromium = () => {
  const named = process.env['HOLDFAST_CHROMIUM'];
  if (named !== undefined && named !== '') return isExecutable(named) ? named : undefined;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
};

/**
 * Finds a browser; installs Debian's when there is none and this user may.
 *
 * @param {string} root the checkout
 * @returns {Promise<{ path: string } | { problem: string }>}
 */
export const provideChromium = async (root) => {
  const found = findChromium();
  if (found !== undefined) return { path: found };
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0)
    return {
      problem:
        'The dashboard is tested in Chromium, and none was found. Install it (Debian, Ubuntu: sudo apt-get install chromium), ' +
        'or set HOLDFAST_CHROMIUM to the path of a Chromium or Chrome.',
    };
  let output = '';
  for (const arguments_ of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const ended = await runChild('apt-get', ['-q', ...arguments_], {
      cwd: root,
      limitMs: APT_MAX_MS,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
    output += ended.output;
  }
  const installed = findChromium();
  return installed === undefined
    ? { problem: `apt-get could not install chromium:\n${output}` }
    : { path: installed };
};
