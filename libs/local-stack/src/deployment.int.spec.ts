import { afterEach, beforeEach, describe, it, expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEPLOYMENT_PASSWORDS } from './deployment.js';
import { natsServerBinary } from './nats-binary.js';
import { repositoryRoot } from './repository-root.js';

const run = promisify(execFile);
const root = repositoryRoot();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-deploy-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const makeSecrets = async (): Promise<ReadonlyMap<string, string>> => {
  const loader = join(root, 'libs/testing/source-loader/register.mjs');
  await run(process.execPath, [
    ...['--no-warnings', '--conditions=holdfast-source', '--import', loader],
    join(root, 'deploy/make-secrets.mjs'),
    folder,
  ]);
  const lines = (await readFile(join(folder, '.env'), 'utf8')).trimEnd().split('\n');
  return new Map(lines.map((line) => line.split('=') as [string, string]));
};

describe('deploy/make-secrets.mjs', () => {
  it('makes every password and secret once, for its owner only', async () => {
    const env = await makeSecrets();
    expect([...env.keys()].sort()).toEqual(
      [...DEPLOYMENT_PASSWORDS, 'HOLDFAST_UID', 'HOLDFAST_GID'].sort(),
    );
    for (const file of ['.env', 'secrets/secret.key', 'secrets/bootstrap-tokens.json'])
      expect([file, (await stat(join(folder, file))).mode & 0o777]).toEqual([file, 0o600]);
    const key = await readFile(join(folder, 'secrets', 'secret.key'), 'utf8');

    expect(await makeSecrets()).toEqual(env);
    expect(await readFile(join(folder, 'secrets', 'secret.key'), 'utf8')).toBe(key);
  });

  it('never has a service run as root', async () => {
    const env = await makeSecrets();
    expect(Number(env.get('HOLDFAST_UID'))).toBeGreaterThan(0);
  });

  it('makes passwords with which a real nats-server reads deploy/nats.conf', async () => {
    const env = Object.fromEntries(await makeSecrets());
    const { path } = await natsServerBinary({ series: '2.15' });
    const { stderr } = await run(path, ['-t', '-c', join(root, 'deploy', 'nats.conf')], { env });
    expect(stderr).toContain('is valid');
  });
});
