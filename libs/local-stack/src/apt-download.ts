import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How long one apt-get or dpkg call may take. Source: 0.7 to 3 s measured; 40 times that for a slow line. */
const COMMAND_MAX_MS = 120_000;

/**
 * Unpacks a Debian package into `destination` without installing it: as any user, with lists and
 * cache of its own, so that the system's package state is neither read nor changed. Signatures are
 * checked with the keys that the machine's own sources name.
 *
 * @param suite the release to take it from (`trixie`); `undefined` takes the machine's own.
 * @throws Error when this is no Debian-like machine, or the package cannot be fetched; `cause` holds apt's words.
 */
export const unpackDebianPackage = async (
  name: string,
  suite: string | undefined,
  destination: string,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-apt-'));
  try {
    const parts = join(folder, 'parts');
    await mkdir(parts);
    await mkdir(join(folder, 'lists', 'partial'), { recursive: true });
    await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true });
    const source = await ownSource();
    await writeFile(join(parts, `own.${source.kind}`), withSuite(source, suite));
    const options = [
      '-qq',
      ...['Dir::Etc::sourcelist=/dev/null', `Dir::Etc::sourceparts=${parts}`],
      ...[`Dir::State::lists=${join(folder, 'lists')}`, `Dir::Cache=${join(folder, 'cache')}`],
      // Root's downloads would otherwise go through a user that may not enter the folder.
      ...['APT::Sandbox::User=root', 'Acquire::Languages=none', 'Acquire::Retries=2'],
    ].flatMap((option, at) => (at === 0 ? [option] : ['-o', option]));
    await command('apt-get', [...options, 'update'], folder);
    await command('apt-get', [...options, 'download', name], folder);
    const file = (await readdir(folder)).find((entry) => entry.endsWith('.deb'));
    if (file === undefined) throw new Error(`apt-get download ${name} left no .deb file`);
    await mkdir(destination, { recursive: true });
    await command('dpkg', ['-x', join(folder, file), destination], folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The first place this machine takes packages from, in either of apt's two formats. */
interface AptSource {
  readonly kind: 'sources' | 'list';
  readonly text: string;
}

const ownSource = async (): Promise<AptSource> => {
  const parts = await readdir('/etc/apt/sources.list.d').catch(() => [] as string[]);
  const system = ['debian.sources', 'ubuntu.sources'].find((file) => parts.includes(file));
  if (system !== undefined) {
    const text = await readFile(join('/etc/apt/sources.list.d', system), 'utf8');
    const stanza = text.split(/\n\s*\n/).find((part) => /^Suites:/m.test(part));
    if (stanza !== undefined) return { kind: 'sources', text: `${stanza}\n` };
  }
  const list = await readFile('/etc/apt/sources.list', 'utf8').catch(() => '');
  const line = list.split('\n').find((entry) => /^deb\s/.test(entry));
  if (line !== undefined) return { kind: 'list', text: `${line}\n` };
  throw new Error('this machine has no apt sources to take packages from');
};

/** The same source, pointed at another release. */
export const withSuite = ({ kind, text }: AptSource, suite: string | undefined): string => {
  if (suite === undefined) return text;
  if (kind === 'sources') return text.replace(/^Suites:.*$/m, `Suites: ${suite}`);
  return text.replace(/^(deb\s+(?:\[[^\]]*\]\s+)?\S+\s+)\S+/, `$1${suite}`);
};

const command = async (file: string, args: readonly string[], cwd: string): Promise<void> => {
  try {
    const env = { ...process.env, LC_ALL: 'C' };
    await run(file, [...args], { cwd, env, timeout: COMMAND_MAX_MS });
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string };
    const said = stderr?.trim().split('\n').slice(-3).join(' ');
    throw new Error(`${file} failed${said ? `: ${said}` : ''}`, { cause });
  }
};
