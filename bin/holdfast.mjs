#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/libs/cli/src/index.js', import.meta.url);
if (existsSync(fileURLToPath(built))) {
  const { runInProcess } = await import('#cli');
  await runInProcess();
} else {
  process.stderr.write('holdfast: not built yet; run `npm start` or `npm run build` once\n');
  process.exitCode = 2;
}
