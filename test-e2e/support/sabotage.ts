import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CHECKOUT = new URL('../../', import.meta.url).pathname;

/** One rule taken out of the build: the text that carries it, and what stands there instead. */
export interface Sabotage {
  readonly file: string;
  readonly rule: string;
  readonly instead: string;
}

/** A node that starts without having been granted its claim. */
export const WITHOUT_THE_CLAIM: Sabotage = {
  file: 'dist/services/node-agent/src/nats.node-commands.js',
  rule: "return this.#send('runs.claim', request, trace);",
  instead: "return Promise.resolve({ kind: 'answer', value: { claim: 'granted' } });",
};

/** A node that knows no more of what it started. */
export const WITHOUT_MEMORY_OF_STARTS: Sabotage = {
  file: 'dist/libs/execution/src/domain/entry.state.js',
  rule: "everStarted: run.everStarted || event.type === 'GoDecided'",
  instead: 'everStarted: false',
};

/** A store that appends without comparing the sequence that a decision was based on. */
export const WITHOUT_THE_EXPECTED_SEQUENCE: Sabotage = {
  file: 'dist/libs/nats/src/codec.js',
  rule: 'set(HEADER.expected,',
  instead: "set('hf-not-compared',",
};

/**
 * A copy of the build with rules taken out: one, or several where one stands in for the other.
 *
 * @throws Error when the rule's text is not there exactly once: the sabotage must not silently do nothing.
 * @returns the folder, to be given as a checkout, and the way to remove it.
 */
export const sabotagedBuild = async (
  ...sabotages: readonly Sabotage[]
): Promise<{ readonly checkout: string; remove(): Promise<void> }> => {
  const checkout = await mkdtemp(join(tmpdir(), 'hf-sabotage-'));
  await cp(join(CHECKOUT, 'dist'), join(checkout, 'dist'), { recursive: true });
  await cp(join(CHECKOUT, 'package.json'), join(checkout, 'package.json'));
  await symlink(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'));
  await mkdir(join(checkout, 'libs'), { recursive: true });
  for (const sabotage of sabotages) await takeOut(checkout, sabotage);
  await promisify(execFile)(process.execPath, [join(CHECKOUT, 'scripts/lib/bundle.mjs'), checkout]);
  return { checkout, remove: () => rm(checkout, { recursive: true, force: true }) };
};

const takeOut = async (checkout: string, { file, rule, instead }: Sabotage): Promise<void> => {
  const path = join(checkout, file);
  const parts = (await readFile(path, 'utf8')).split(rule);
  if (parts.length !== 2)
    throw new Error(`${file} has ${String(parts.length - 1)} places of: ${rule}`);
  await writeFile(path, parts.join(instead));
};
