/**
 * `npm run spawn-rules`: writes `docs/spawn-rules.md`.
 * `npm run spawn-rules:check` (`--check`): fails if the page is not what it would write.
 *
 * Made from the reports of the last full `npm test`. Fails when a rule is neither shown nor decided about; says of every rule
 * that has no test.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JEST_PROJECTS, reportOf } from '../../scripts/lib/jest-phase.mjs';
import { readResults } from '../failure-matrix/results.mjs';
import { gaps, render, staleness, withoutTest } from './rules.mjs';
import { readRules } from './source.mjs';

const ROOT = join(import.meta.dirname, '../..');
const RESULTS = JEST_PROJECTS.map((project) => reportOf(ROOT, project));
const PAGE = join(ROOT, 'docs/spawn-rules.md');
const DECISIONS = join(ROOT, 'docs/adr');

/** @param {string} path @returns {Promise<string>} empty when there is no such file. */
const textOf = (path) =>
  readFile(path, 'utf8').catch((/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

const readDecisions = async () => {
  const files = (await readdir(DECISIONS)).filter((file) => /^\d{4}-.+\.md$/.test(file));
  return new Map(
    await Promise.all(
      files.map(
        async (file) =>
          /** @type {const} */ ([
            file.slice(0, 4),
            { file, text: await readFile(join(DECISIONS, file), 'utf8') },
          ]),
      ),
    ),
  );
};

const { chapters, problems } = readRules(
  await readFile(join(ROOT, 'docs/spawn-rules.source.yaml'), 'utf8'),
);
const reports = await Promise.all(RESULTS.map(textOf));
const missing = RESULTS.filter((_path, index) => reports[index] === '');
const proofs = reports
  .filter((text) => text !== '')
  .flatMap((text) => readResults(JSON.parse(text), ROOT, 'SP'));
const decisions = await readDecisions();
const wrong = [
  ...problems,
  ...missing.map((path) => `${path} is missing: run npm test, all of it`),
  ...gaps(chapters, proofs, decisions),
];

const page = render(chapters, proofs, decisions);
if (process.argv.includes('--check')) wrong.push(...staleness(await textOf(PAGE), page));
else if (wrong.length === 0) await writeFile(PAGE, page);

const open = withoutTest(chapters, proofs).map(
  ({ id, kind, decision }) => `${id} (${kind}${decision === undefined ? '' : `, ${decision}`})`,
);
if (open.length > 0) console.log(`rules without a test: ${open.join(', ')}`);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}
