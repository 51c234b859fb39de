import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { rules } from './rules.mjs';

const ROOT = join(import.meta.dirname, '../..');
const PLANTED = join(import.meta.dirname, 'planted');

/** Rules of others that the house style leans on; the folder is called like the last part of the rule's id. */
const BORROWED = [
  '@typescript-eslint/no-explicit-any',
  '@typescript-eslint/no-floating-promises',
  '@typescript-eslint/switch-exhaustiveness-check',
  'max-lines',
  'no-console',
  'preserve-caught-error',
];
const RULE_IDS = [...Object.keys(rules).map((name) => `holdfast/${name}`), ...BORROWED];

/** @param {string} ruleId */
const folderOf = (ruleId) => ruleId.split('/').at(-1) ?? ruleId;

/**
 * Lints every planted file, with the configuration of the repository and nothing ignored.
 *
 * @returns {Promise<ReadonlyMap<string, readonly string[]>>} what was reported, as `<line> <rule>`, by planted path.
 */
const lintPlanted = async () => {
  const arguments_ = ['--no-ignore', '--format', 'json', PLANTED];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'node_modules/eslint/bin/eslint.js'), ...arguments_],
    { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 },
  ).catch((/** @type {{ code: number, stdout: string }} */ ended) => {
    if (ended.code === 1) return ended; // Problems were found, which is the point.
    throw ended;
  });
  /** @type {{ filePath: string, messages: { line: number, ruleId: string | null, message: string }[] }[]} */
  const results = JSON.parse(stdout);
  return new Map(
    results.map(({ filePath, messages }) => [
      relative(PLANTED, filePath),
      messages.map(({ line, ruleId, message }) => `${line} ${ruleId ?? message}`),
    ]),
  );
};

/** @param {string} path @param {string} ruleId */
const marked = (path, ruleId) =>
  readFileSync(join(PLANTED, path), 'utf8')
    .split('\n')
    .flatMap((line, index) => (line.endsWith('// refused') ? [`${index + 1} ${ruleId}`] : []));

describe('the lint rules', () => {
  /** @type {ReadonlyMap<string, readonly string[]>} */
  let reported;
  beforeAll(async () => {
    reported = await lintPlanted();
  });

  it('have a planted offender each', () => {
    const folders = readdirSync(PLANTED, { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    expect(folders.map(({ name }) => name).sort()).toEqual(RULE_IDS.map(folderOf).sort());
  });

  it.each(RULE_IDS)('%s is reported where it is marked, and nowhere else', (ruleId) => {
    const files = [...reported.keys()].filter((path) => path.startsWith(`${folderOf(ruleId)}/`));
    const offenders = files.filter((path) => path.split('/')[1] === 'offender');
    expect(files.length).toBeGreaterThan(offenders.length); // There is a clean twin.
    expect(offenders.length).toBeGreaterThan(0);
    for (const path of offenders) expect(marked(path, ruleId).length).toBeGreaterThan(0);
    const expected = files.map((path) => [
      path,
      path.split('/')[1] === 'offender' ? marked(path, ruleId) : [],
    ]);
    expect(files.map((path) => [path, reported.get(path)])).toEqual(expected);
  });
});
