#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/libs/cli/src/index.js', import.meta.url);
if (existsSync(fileURLToPath(built))) {
  const { runInProcess } = await import('#cli');
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  await runInProcess(manifest.version);
} else {
  process.stderr.write('holdfast: not built yet; run `npm start` or `npm run build` once\n');
  process.exitCode = 2;
}
