/**
 * Makes what `compose.yaml` needs and no repository may hold: `deploy/.env` with passwords, and `deploy/secrets/` with the
 * key of the installation and the first two tokens. What is there is kept. Needs a build: `npm run build`.
 *
 * node deploy/make-secrets.mjs [folder, instead of deploy/]
 */
import { randomBytes } from 'node:crypto';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DEPLOYMENT_PASSWORDS, stackSecrets } from '#local-stack';

/** Whom the containers run as when we are root, who should own nothing in them: the image's user `node`. */
const CONTAINER_USER = 1000;

const here = resolve(process.argv[2] ?? import.meta.dirname);
const secrets = join(here, 'secrets');
const uid = process.getuid?.() || CONTAINER_USER;
const gid = process.getgid?.() || CONTAINER_USER;

/** @param {string} path @returns {Promise<string>} */
const textOf = async (path) => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return '';
    throw error;
  }
};

const made = await stackSecrets(secrets);
const env = new Map(
  (await textOf(join(here, '.env')))
    .split('\n')
    .filter((line) => line.includes('='))
    .map(
      (line) =>
        /** @type {[string, string]} */ ([line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
    ),
);
env.set('HOLDFAST_UID', String(uid)).set('HOLDFAST_GID', String(gid));
// A letter first: nats-server reads a variable that begins with a digit as a number.
for (const name of DEPLOYMENT_PASSWORDS)
  if (!env.has(name)) env.set(name, `pw${randomBytes(32).toString('hex')}`);
await writeFile(
  join(here, '.env'),
  `${[...env].map(([name, value]) => `${name}=${value}`).join('\n')}\n`,
  { mode: 0o600 },
);
if (process.getuid?.() === 0)
  for (const path of [secrets, made.secretFile, made.bootstrapFile]) await chown(path, uid, gid);
process.stdout.write(
  `Made ${join(here, '.env')} and ${secrets}. The operator's token is in ${join(secrets, 'operator.token')}.\n`,
);
