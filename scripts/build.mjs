/** `npm run build`: compiles services and dashboard into `dist/`, unless that is up to date. */
import { join } from 'node:path';
import { build } from './lib/build-steps.mjs';

const result = await build(join(import.meta.dirname, '..'), (step) =>
  process.stdout.write(`building ${step}\n`),
);
if (!result.ok) {
  process.stderr.write(result.output);
  process.exitCode = 1;
}
