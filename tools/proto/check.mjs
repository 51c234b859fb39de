/** `npm run proto:check`: style, breaking changes against the baseline, and generated code that is up to date. */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buf } from './buf.mjs';

const GENERATED = 'libs/contracts/src/generated';
const ROOT = join(import.meta.dirname, '../..');

/** @param {string} folder @returns {Promise<ReadonlyMap<string, string>>} contents by path; empty without the folder. */
const filesUnder = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(
        async (file) =>
          /** @type {const} */ ([file.slice(folder.length), await readFile(file, 'utf8')]),
      ),
    ),
  );
};

const outdated = async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-proto-'));
  try {
    const generated = await buf(['generate', '--output', scratch]);
    if (generated.code !== 0) return [generated.output];
    const [now, committed] = await Promise.all([
      filesUnder(join(scratch, GENERATED)),
      filesUnder(join(ROOT, GENERATED)),
    ]);
    return [...new Set([...now.keys(), ...committed.keys()])]
      .filter((path) => now.get(path) !== committed.get(path))
      .map((path) => `${GENERATED}${path} is not what proto/ generates: npm run proto`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

const lint = await buf(['lint']);
const breaking = await buf(['breaking', '--against', 'proto/baseline.json']);
const problems = [
  ...(lint.code === 0 ? [] : [lint.output]),
  ...(breaking.code === 0
    ? []
    : [
        `${breaking.output}\nThis breaks what was written before. Add instead, and reserve what goes.`,
      ]),
  ...(await outdated()),
];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
