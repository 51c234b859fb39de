/**
 * `npm run proto:baseline`: makes what `proto/` says now the shape that later changes must not break.
 *
 * To be run with a release, and with a change that only adds. While nothing has been written with a message yet, a
 * breaking change may be let in this way too; the diff of the baseline shows it to the reviewer.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buf } from './buf.mjs';

const BASELINE = join(import.meta.dirname, '../../proto/baseline.json');

const scratch = await mkdtemp(join(tmpdir(), 'holdfast-proto-'));
try {
  const image = join(scratch, 'image.json');
  const built = await buf(['build', '--exclude-source-info', '--output', image]);
  if (built.code !== 0) throw new Error(built.output);
  // Indented, so that a review sees what changed.
  const pretty = JSON.stringify(JSON.parse(await readFile(image, 'utf8')), undefined, 1);
  await writeFile(BASELINE, `${pretty}\n`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
