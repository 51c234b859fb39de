import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OsUser } from './child-process.js';
import { SHARED_FOLDER, type PostgresBinaries } from './postgres-binaries.js';
import { identityOf } from './process-identity.js';
import { readIfPresent } from './private-files.js';

/** The role that owns everything, and its database. */
export const ROLE = 'holdfast';
export const DATABASE = 'holdfast';

/** How long a killed server's own children may take to notice. Source: the kernel tells them at once; a loaded machine is slow. */
const LEAVE_MAX_MS = 10_000;

/** The environment of Postgres's programs: messages in English, times in UTC, whatever the caller's are. */
export const POSTGRES_ENV = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' } as const;

/** Where data and half-made data lie. */
export interface PostgresPlace {
  /** Whose data it is. */
  readonly folder: string;
  /** Holds the data folder; removed as a whole when the data is thrown away. */
  readonly root: string;
  readonly data: string;
  readonly runAs: OsUser | undefined;
}

/** In `folder` itself, or, for root, beside the shared programs under a name made from `folder`'s. */
export const placeOf = (folder: string, runAs: OsUser | undefined): PostgresPlace => {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const root = runAs === undefined ? folder : join(SHARED_FOLDER, hash);
  return { folder, root, data: join(root, 'data'), runAs };
};

/** Whether there is a complete database here: an interrupted set-up leaves none. */
export const isSetUp = async ({ data }: PostgresPlace): Promise<boolean> =>
  (await readIfPresent(join(data, 'PG_VERSION'))) !== undefined;

/**
 * Makes an empty cluster with one role and one database, and moves it into place when it is complete.
 *
 * @throws Error with what initdb said.
 */
export const setUp = async (
  place: PostgresPlace,
  binaries: PostgresBinaries,
  password: string,
): Promise<void> => {
  const { folder, root, data, runAs } = place;
  const unfinished = `${data}.unfinished`;
  await mkdir(root, { recursive: true, mode: runAs === undefined ? 0o700 : 0o755 });
  // For whoever wonders what a folder of this name is for.
  if (root !== folder) await writeFile(join(root, 'belongs-to'), `${folder}\n`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await chmod(unfinished, 0o700);
  const passwordFile = join(root, `password-${randomBytes(4).toString('hex')}`);
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (runAs !== undefined) {
      await chown(unfinished, runAs.uid, runAs.gid);
      await chown(passwordFile, runAs.uid, runAs.gid);
    }
    const cluster = ['-D', unfinished];
    const how = ['-U', ROLE, '-A', 'scram-sha-256', '--pwfile', passwordFile];
    const text = ['-E', 'UTF8', '--locale=C', '--no-instructions'];
    await run(place, binaries.initdb, [...cluster, ...how, ...text], '');
    const statement = `CREATE DATABASE ${DATABASE};\n`;
    await run(place, binaries.postgres, ['--single', '-j', ...cluster, 'postgres'], statement);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(unfinished, data);
};

const run = (
  { root, runAs }: PostgresPlace,
  command: string,
  args: readonly string[],
  input: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: root, env: { ...POSTGRES_ENV }, ...runAs });
    let said = '';
    const hear = (chunk: Buffer): void => {
      said = (said + chunk.toString('utf8')).slice(-2_000);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', (cause) => {
      reject(new Error(`Postgres cannot be set up: ${command} does not run here`, { cause }));
    });
    child.once('close', (code) => {
      // In its single-user mode the server ends with 0 even when the statement failed.
      if (code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(said)) resolve();
      else reject(new Error(`Postgres cannot be set up in ${root}:\n${said.trim()}`));
    });
    child.stdin.on('error', () => undefined); // It ended before it read; its exit says why.
    child.stdin.end(input);
  });

/**
 * Before a start: waits until the children of a killed server are gone, and removes its lock file.
 * A server refuses to start while the process that the file names exists, and a zombie, or a new
 * process under the same number, counts as existing.
 *
 * @throws Error when a living server uses this data.
 */
export const clearDeadServersLock = async ({ data }: PostgresPlace): Promise<void> => {
  if (process.platform !== 'linux') return; // Elsewhere the server's own check has to do.
  const lock = join(data, 'postmaster.pid');
  const main = Number((await readIfPresent(lock))?.split('\n')[0]);
  const deadline = Date.now() + LEAVE_MAX_MS;
  for (;;) {
    const users = await aliveIn(data);
    const [user] = users;
    if (user === undefined) break;
    if (users.includes(main) || Date.now() > deadline) {
      throw new Error(`another Postgres (process ${user}) is running on ${data}; stop it first`);
    }
    await delay(50);
  }
  await rm(lock, { force: true });
};

/** Every process of a Postgres server works in its data folder. */
const aliveIn = async (data: string): Promise<readonly number[]> => {
  const alive: number[] = [];
  for (const entry of await readdir('/proc')) {
    const pid = Number(entry);
    if ((await workingFolder(entry)) === data && identityOf(pid) !== undefined) alive.push(pid);
  }
  return alive;
};

/** `undefined`: no process, gone meanwhile, or not ours to see, and so no server on our data. */
const workingFolder = async (entry: string): Promise<string | undefined> => {
  if (!/^\d+$/.test(entry)) return undefined;
  try {
    return await readlink(`/proc/${entry}/cwd`);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined;
    throw cause;
  }
};
