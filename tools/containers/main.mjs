/** `npm run containers:check`: the image and the stack of `deploy/`, run for real with images that are made here. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TESTCONTAINERS } from '../../libs/local-stack/src/container-stores.js';
import { Engine, command } from './engine.mjs';
import { buildHoldfast, makeStandIns } from './images.mjs';
import { HELP, parseOptions } from './options.mjs';
import { checkCompose } from './stack.mjs';

const ROOT = join(import.meta.dirname, '../..');
const NEEDED = ['/usr/bin/podman', '/usr/sbin/runc', '/usr/bin/mmdebstrap', '/usr/bin/catatonit'];

/** @param {string} step */
const say = (step) => void process.stdout.write(`  ${step}\n`);

/** @param {Engine} engine */
const checkContainedStores = async (engine) => {
  const place = join(engine.folder, 'testcontainers');
  await command('npm', [
    'install',
    '--no-save',
    '--ignore-scripts',
    '--prefix',
    place,
    TESTCONTAINERS,
  ]);
  const home = join(engine.folder, 'contained');
  await rm(home, { recursive: true, force: true });
  await command(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, 'contained-stores.mjs'), home],
    {
      env: {
        ...process.env,
        NODE_PATH: join(place, 'node_modules'),
        DOCKER_HOST: engine.dockerHost,
        TESTCONTAINERS_RYUK_DISABLED: 'true', // Its image can't be had without a registry.
        TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1',
      },
    },
  );
  say('the stores of a local stack ran in containers, twice, and the streams were kept');
};

/** @param {ReturnType<typeof parseOptions>} options */
const check = async ({ folder, keep, rebuild }) => {
  const missing = NEEDED.filter((path) => !existsSync(path));
  if (process.getuid?.() !== 0 || missing.length > 0)
    throw new Error(`This needs root, and lacks: ${missing.join(', ') || 'that'}. See --help.`);
  const engine = new Engine(folder);
  await engine.open();
  try {
    await makeStandIns(engine);
    say('images stand in for node, nats and postgres');
    await buildHoldfast(engine, ROOT, rebuild);
    say('deploy/Dockerfile was built');
    await checkCompose(engine, ROOT, say);
    await checkContainedStores(engine);
  } finally {
    await engine.close();
    if (!keep) {
      await engine.forget();
      await rm(folder, { recursive: true, force: true });
    }
  }
};

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await check(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
