import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  rule: "return this.#send('runs.claim', request);",
  instead: "return Promise.resolve({ kind: 'answer', value: { claim: 'granted' } });",
};

/** A store that appends without comparing the sequence that a decision was based on. */
export const WITHOUT_THE_EXPECTED_SEQUENCE: Sabotage = {
  file: 'dist/libs/nats/src/codec.js',
  rule: 'set(HEADER.expected,',
  instead: "set('hf-not-compared',",
};

/**
 * A copy of the build with one rule taken out.
 *
 * @throws Error when the rule's text is not there exactly once: the sabotage must not silently do nothing.
 * @returns the folder, to be given as a checkout, and the way to remove it.
 */
export const sabotagedBuild = async (
  sabotage: Sabotage,
): Promise<{ readonly checkout: string; remove(): Promise<void> }> => {
  const checkout = await mkdtemp(join(tmpdir(), 'hf-sabotage-'));
  await cp(join(CHECKOUT, 'dist'), join(checkout, 'dist'), { recursive: true });
  await cp(join(CHECKOUT, 'package.json'), join(checkout, 'package.json'));
  await symlink(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'));
  await mkdir(join(checkout, 'libs'), { recursive: true });
  const file = join(checkout, sabotage.file);
  const text = await readFile(file, 'utf8');
  const parts = text.split(sabotage.rule);
  if (parts.length !== 2)
    throw new Error(`${sabotage.file} has ${String(parts.length - 1)} places of: ${sabotage.rule}`);
  await writeFile(file, parts.join(sabotage.instead));
  return { checkout, remove: () => rm(checkout, { recursive: true, force: true }) };
};
