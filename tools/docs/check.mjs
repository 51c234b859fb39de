/** `npm run docs:check`: links, decision records, named commands, glossary, and paths of one machine. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { formattedPage } from '../../bench/lib/publish.mjs';
import {
  adrProblems,
  brokenLinks,
  ownPaths,
  glossaryProblems,
  unknownCommands,
} from './checks.mjs';

const ROOT = join(import.meta.dirname, '../..');
/** Text that people write and read. */
const TEXT = /\.(md|ya?ml|proto|[cm]?js|tsx?|json|sh)$|^\.ci\/run$/;
/** Made by a tool, or planted to be wrong. */
const NOT_WRITTEN =
  /^(package-lock\.json|libs\/contracts\/src\/generated\/|proto\/baseline\.json|\.ci\/\w+\/planted\/|tools\/docs\/)/;

const listed = await promisify(execFile)(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 },
);
const paths = listed.stdout
  .split('\0')
  .filter((path) => TEXT.test(path) && !NOT_WRITTEN.test(path) && existsSync(join(ROOT, path)));
const files = new Map(
  await Promise.all(
    paths.map(
      async (path) => /** @type {const} */ ([path, await readFile(join(ROOT, path), 'utf8')]),
    ),
  ),
);
const pages = new Map([...files].filter(([path]) => path.endsWith('.md')));
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

/**
 * The page of what was measured says what the numbers beside it say.
 *
 * @param {ReadonlyMap<string, string>} all
 */
async function measuredProblems(all) {
  const [page, numbers] = ['docs/performance.md', 'docs/performance.json'];
  const shown = all.get(page);
  const said = all.get(numbers);
  if (shown === undefined || said === undefined) return [`${page} or ${numbers} is missing`];
  const isSame = shown === (await formattedPage(JSON.parse(said)));
  return isSame ? [] : [`${page} is not what ${numbers} says: npm run bench -- --publish`];
}

const problems = [
  ...brokenLinks(pages, (path) => existsSync(join(ROOT, path))),
  ...adrProblems(pages),
  ...unknownCommands(pages, Object.keys(manifest.scripts)),
  ...glossaryProblems(pages.get('docs/glossary.md') ?? ''),
  ...ownPaths(files, ROOT),
  ...(await measuredProblems(files)),
  ...(/^## \[Unreleased\]$/m.test(pages.get('CHANGELOG.md') ?? '')
    ? []
    : ['CHANGELOG.md: has no "## [Unreleased]"']),
];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
