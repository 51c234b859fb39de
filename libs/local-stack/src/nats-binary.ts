import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { unpackDebianPackage } from './apt-download.js';
import { withFileLock } from './file-lock.js';
import { repositoryRoot } from './repository-root.js';

const run = promisify(execFile);

/** The series that Holdfast is tried on: the floor, the preferred one, and a look ahead. */
export type NatsSeries = '2.9' | '2.10' | '2.15';

/** An executable nats-server. `version` is what it says of itself, such as `2.10.27`. */
export interface NatsServerBinary {
  readonly path: string;
  readonly version: string;
}

/** Which one to find, and where fetched ones are kept. */
export interface NatsBinaryOptions {
  /** A particular series. `2.15` stands for "2.15 or newer". Default: 2.10, or what this machine's own release has. */
  readonly series?: NatsSeries;
  /** Default: `<checkout>/.cache/nats-server`. */
  readonly cacheFolder?: string;
}

/** Where each series comes from. The last one moves: it may hold something newer than asked for. */
const SUITE_OF: Readonly<Record<NatsSeries, string>> = {
  '2.9': 'bookworm',
  '2.10': 'trixie',
  '2.15': 'sid',
};

/** Source: docs of JetStream's `discard_new_per_subject`; nothing older was tried. */
const OLDEST = [2, 9] as const;

/** How long to wait for another process's download. Source: three commands of at most 120 s. */
const LOCK_WAIT_MAX_MS = 360_000;

const REMEDY =
  'Install nats-server 2.9 or newer and put it on PATH, or set HOLDFAST_NATS_SERVER to its path.';

const underWay = new Map<string, Promise<NatsServerBinary>>();

/**
 * Finds a nats-server, or fetches one into `<repository>/.cache/nats-server/<series>/` without
 * installing anything. In this order: `HOLDFAST_NATS_SERVER` (always wins, whatever series is asked
 * for), the cache, PATH (when no series is asked for), a Debian package fetched with apt-get.
 * Parallel calls, from other processes too, fetch once.
 *
 * @throws Error in plain words, with what to do about it, when none can be had.
 */
export const natsServerBinary = (options: NatsBinaryOptions = {}): Promise<NatsServerBinary> => {
  const { series, cacheFolder = join(repositoryRoot(), '.cache', 'nats-server') } = options;
  const named = process.env['HOLDFAST_NATS_SERVER'] ?? '';
  const key = JSON.stringify([named, series, cacheFolder]);
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const found = find(named, series, cacheFolder);
  underWay.set(key, found);
  found.catch(() => underWay.delete(key)); // A failure is not remembered: the remedy may be applied.
  return found;
};

const find = async (
  named: string,
  series: NatsSeries | undefined,
  cache: string,
): Promise<NatsServerBinary> => {
  if (named !== '') return namedBinary(named);
  if (series !== undefined) return (await cached(cache, series)) ?? fetchedOrSorry(cache, series);
  const ready = (await cached(cache, '2.10')) ?? (await onPath());
  if (ready !== undefined) return ready;
  try {
    return await fetched(cache, '2.10');
  } catch (preferred) {
    const own = await cached(cache, 'own');
    if (own !== undefined) return own;
    try {
      return await fetched(cache, 'own');
    } catch (cause) {
      throw cannot([preferred, cause]);
    }
  }
};

const fetchedOrSorry = async (cache: string, series: NatsSeries): Promise<NatsServerBinary> => {
  try {
    return await fetched(cache, series);
  } catch (cause) {
    throw cannot([cause], series);
  }
};

const namedBinary = async (path: string): Promise<NatsServerBinary> => {
  const version = await versionOf(path);
  if (version === undefined) {
    throw new Error(
      `HOLDFAST_NATS_SERVER names ${path}, which is not a nats-server that runs here.`,
    );
  }
  if (!isAtLeast(version, OLDEST)) {
    throw new Error(`HOLDFAST_NATS_SERVER names ${path}, version ${version}; 2.9 is the oldest.`);
  }
  return { path, version };
};

/** `own`: whatever this machine's release has. */
type Kept = NatsSeries | 'own';

const cached = async (cache: string, series: Kept): Promise<NatsServerBinary | undefined> => {
  const path = join(cache, series, 'nats-server');
  const version = await versionOf(path);
  return version === undefined ? undefined : { path, version };
};

const onPath = async (): Promise<NatsServerBinary | undefined> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, 'nats-server');
    const version = await versionOf(path);
    if (version !== undefined && isAtLeast(version, OLDEST)) return { path, version };
  }
  return undefined;
};

const fetched = async (cache: string, series: Kept): Promise<NatsServerBinary> => {
  const folder = join(cache, series);
  return withFileLock(`${folder}.lock`, LOCK_WAIT_MAX_MS, async () => {
    const already = await cached(cache, series); // Another process may have fetched it meanwhile.
    if (already !== undefined) return already;
    const unpacked = `${folder}.unpacked`;
    await rm(unpacked, { recursive: true, force: true });
    const suite = series === 'own' ? undefined : SUITE_OF[series];
    await unpackDebianPackage('nats-server', suite, unpacked);
    const executable = join(unpacked, 'usr', 'sbin', 'nats-server');
    const version = await versionOf(executable);
    if (version === undefined) throw new Error('the package has no nats-server that runs here');
    refuseAnother(series, version);
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'nats-server');
    await rename(executable, path);
    await rm(unpacked, { recursive: true, force: true });
    return { path, version };
  });
};

const refuseAnother = (series: Kept, version: string): void => {
  if (series === 'own') {
    if (!isAtLeast(version, OLDEST)) throw new Error(`this release has only ${version}`);
    return;
  }
  const [major, minor] = numbersOf(series);
  const isIt =
    series === '2.15' ? isAtLeast(version, [major, minor]) : version.startsWith(`${series}.`);
  if (!isIt) throw new Error(`${SUITE_OF[series]} has nats-server ${version}, not ${series}`);
};

const cannot = (causes: readonly unknown[], series?: NatsSeries): Error =>
  new Error(
    `No nats-server${series === undefined ? '' : ` ${series}`} found, and none could be fetched (` +
      `${causes.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join('; ')}). ${REMEDY}`,
    { cause: causes.at(-1) },
  );

/** `undefined`: there is no such file, or it does not run and say that it is a nats-server. */
const versionOf = async (path: string): Promise<string | undefined> => {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
    return /nats-server: v(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
};

const numbersOf = (version: string): readonly [number, number] => {
  const [major = '0', minor = '0'] = version.split('.');
  return [Number.parseInt(major, 10), Number.parseInt(minor, 10)];
};

/** Whether a version such as `2.10.27` is at least `[2, 9]`. */
export const isAtLeast = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [ownMajor, ownMinor] = numbersOf(version);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
};
