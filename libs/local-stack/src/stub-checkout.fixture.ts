import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MIGRATE_ENTRY, SERVICES, entryOf, type ServiceName } from './service-table.js';

/**
 * A service that only says that it is ready, and writes down what it was told: `<home>/told/<process>.json`.
 * With a file `<home>/broken-<process>` it ends with an error instead.
 */
const SERVICE = `
import { createServer } from 'node:http';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
const { HOLDFAST_HOME: home, HOLDFAST_PROCESS_NAME: name, HOLDFAST_PORT } = process.env;
mkdirSync(home + '/told', { recursive: true });
writeFileSync(home + '/told/' + name + '.json', JSON.stringify(process.env));
if (existsSync(home + '/broken-' + name)) {
  console.error('the stub is broken');
  process.exit(3);
}
const server = createServer((request, response) => response.end('{"ready":true}'));
server.listen(Number(HOLDFAST_PORT ?? 0), '127.0.0.1', () => {
  writeFileSync(home + '/run/' + name + '.port', String(server.address().port));
});
process.on('SIGTERM', () => process.exit(0));
`;

const MIGRATE = `
import { writeFileSync } from 'node:fs';
writeFileSync(process.env.HOLDFAST_HOME + '/migrated', process.env.DATABASE_URL);
`;

/** Makes a folder that looks like a built checkout, with a stub in the place of every service. */
export const writeStubCheckout = async (folder: string): Promise<void> => {
  await writeProgram(folder, MIGRATE_ENTRY, MIGRATE);
  for (const { name } of SERVICES) await writeProgram(folder, entryOf(name), SERVICE);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
};

const writeProgram = async (folder: string, path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
};

/** Breaks, or repairs, the stub of one process. */
export const breakStub = (home: string, name: ServiceName): Promise<void> =>
  writeFile(join(home, `broken-${name}`), '');
