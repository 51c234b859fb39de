import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runChild } from './child.mjs';

/** How long one compiler may take, in milliseconds. Source: 3 to 10 s measured; a loaded machine needs more. */
const STEP_MAX_MS = 5 * 60_000;
/** How often a waiter looks whether another build has ended, in milliseconds. */
const LOOK_EVERY_MS = 100;

/**
 * @typedef {object} BuildStep
 * @property {string} name
 * @property {string} stamp the file that says of which sources the last build was; seen from the checkout.
 * @property {readonly string[]} folders whose sources it is made of.
 * @property {readonly string[]} files likewise.
 * @property {(path: string) => boolean} counts whether a file in the folders is such a source.
 * @property {readonly string[]} command script and arguments for Node.js.
 * @property {string} cwd
 */

/** @param {string} path */
const isTest = (path) => /\.(spec|fixture)\.tsx?$/.test(path);

/** @type {readonly BuildStep[]} */
export const BUILD_STEPS = [
  {
    name: 'services',
    stamp: 'dist/.services-build',
    folders: ['libs', 'services', 'migrations'],
    files: ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
    counts: (path) => path.endsWith('.ts') && !isTest(path),
    command: ['node_modules/.bin/tsc', '-p', 'tsconfig.build.json'],
    cwd: '.',
  },
  {
    name: 'programs',
    stamp: 'dist/.programs-build',
    folders: ['libs', 'services'],
    files: ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/lib/bundle.mjs'],
    counts: (path) => path.endsWith('.ts') && !isTest(path),
    command: ['scripts/lib/bundle.mjs'],
    cwd: '.',
  },
  {
    name: 'dashboard',
    stamp: 'dist/.dashboard-build',
    folders: ['dashboard', 'libs/contracts'],
    files: ['package-lock.json'],
    counts: (path) => !isTest(path),
    command: ['../node_modules/.bin/vite', 'build', '--logLevel', 'warn'],
    cwd: 'dashboard',
  },
];

/**
 * All files below a folder, without what is built or installed; nothing when there is no such folder.
 *
 * @param {string} folder
 * @returns {string[]}
 */
const filesBelow = (folder) =>
  !existsSync(folder)
    ? []
    : readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        if (!entry.isDirectory()) return [path];
        return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(path);
      });

/**
 * Tells whether anything changed that a build is made of: names and contents, not times, which a checkout sets anew.
 *
 * @param {string} root
 * @param {BuildStep} step
 */
const fingerprintOf = (root, step) => {
  const hash = createHash('sha256').update(process.version);
  const sources = step.folders.flatMap((folder) =>
    filesBelow(join(root, folder)).filter(step.counts),
  );
  for (const path of [...sources, ...step.files.map((file) => join(root, file))].sort())
    hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  return hash.digest('hex');
};

/** @param {string} path @returns {string | undefined} */
const textIfThere = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/**
 * Removes what was built of sources that are gone: it would still be found by an import.
 *
 * @param {string} root
 * @param {BuildStep} step
 */
const removeOrphans = (root, step) => {
  for (const folder of step.folders)
    for (const path of filesBelow(join(root, 'dist', folder))) {
      const source = join(root, relative(join(root, 'dist'), path)).replace(/\.js(\.map)?$/, '.ts');
      if (!existsSync(source) || !step.counts(source)) rmSync(path);
    }
};

/**
 * Brings `dist/` up to date. Does nothing for what is; waits while another process builds.
 *
 * @param {string} root the checkout
 * @param {(step: string) => void} [onStep] called when a step is really done.
 * @returns {Promise<{ ok: true } | { ok: false, output: string }>}
 */
export const build = async (root, onStep) => {
  await mkdir(join(root, 'dist'), { recursive: true });
  return withBuildLock(root, async () => {
    for (const step of BUILD_STEPS) {
      if (!existsSync(join(root, step.cwd, step.cwd === '.' ? 'package.json' : 'index.html')))
        continue;
      const stamp = join(root, step.stamp);
      const fingerprint = fingerprintOf(root, step);
      if (textIfThere(stamp) === fingerprint) continue;
      onStep?.(step.name);
      rmSync(stamp, { force: true }); // A build that is broken off must not pass for the last good one.
      const { code, output } = await runChild(process.execPath, step.command, {
        cwd: join(root, step.cwd),
        limitMs: STEP_MAX_MS,
        env: { NO_COLOR: '1' },
      });
      if (code !== 0) return { ok: false, output };
      if (step.name === 'services') removeOrphans(root, step);
      writeFileSync(stamp, fingerprint);
    }
    return { ok: true };
  });
};

/**
 * One build at a time. A lock whose holder is gone is taken over.
 *
 * @template T
 * @param {string} root
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
const withBuildLock = async (root, work) => {
  const lock = join(root, 'dist', '.lock');
  while (!taken(lock)) {
    const holder = Number(textIfThere(lock));
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
    else await delay(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
};

/** @param {string} lock */
const taken = (lock) => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return false;
  }
};

/** @param {number} pid */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ESRCH') return false;
    if (code === 'EPERM') return true; // Somebody else's process: there is one.
    throw error;
  }
};
