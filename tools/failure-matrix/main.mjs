/**
 * `npm run matrix`: writes `docs/failure-matrix.md`, the counts in the README, and `evidence/`.
 * `npm run matrix:check` (`--check`): writes the evidence only, and fails if the two pages are not what it would write.
 *
 * Made from the reports of the last full `npm test`. Fails when a row claims more than those tests show.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JEST_PROJECTS, reportOf } from '../../scripts/lib/jest-phase.mjs';
import { describeRun, evidenceOf } from './evidence.mjs';
import { overclaims, render, underclaims, withCounts } from './matrix.mjs';
import { readResults } from './results.mjs';
import { readSource } from './source.mjs';

const ROOT = join(import.meta.dirname, '../..');
const RESULTS = JEST_PROJECTS.map((project) => reportOf(ROOT, project));
const PAGE = join(ROOT, 'docs/failure-matrix.md');
const README = join(ROOT, 'README.md');
const EVIDENCE = join(ROOT, 'evidence');

/** @param {string} path @returns {Promise<string>} empty when there is no such file. */
const textOf = (path) =>
  readFile(path, 'utf8').catch((/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

const readProofs = async () => {
  const reports = await Promise.all(RESULTS.map(textOf));
  const missing = RESULTS.filter((_path, index) => reports[index] === '');
  return {
    proofs: reports
      .filter((text) => text !== '')
      .flatMap((text) => readResults(JSON.parse(text), ROOT)),
    problems: missing.map((path) => `${path} is missing: run npm test, all of it`),
  };
};

const check = process.argv.includes('--check');
const { rows, problems } = readSource(
  await readFile(join(ROOT, 'docs/failure-matrix.source.yaml'), 'utf8'),
);
const { proofs, problems: unread } = await readProofs();
const wrong = [...problems, ...unread, ...overclaims(rows, proofs)];

const run = await describeRun(ROOT);
await rm(EVIDENCE, { recursive: true, force: true });
await mkdir(EVIDENCE);
for (const row of rows.filter(({ id }) => proofs.some((proof) => proof.row === id)))
  await writeFile(
    join(EVIDENCE, `${row.id}.json`),
    `${JSON.stringify(evidenceOf(row, proofs, run), undefined, 2)}\n`,
  );

const pages = [
  { path: PAGE, text: render(rows, proofs) },
  { path: README, text: withCounts(await readFile(README, 'utf8'), rows) },
];
for (const { path, text } of pages)
  if (check) {
    if ((await textOf(path)) !== text)
      wrong.push(`${path} is not what this run shows: npm run matrix`);
  } else if (wrong.length === 0) await writeFile(path, text);

for (const hint of underclaims(rows, proofs)) console.log(`hint: ${hint}`);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}
