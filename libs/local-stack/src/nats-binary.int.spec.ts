import { afterEach, beforeEach, describe, it, expect } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAtLeast, natsServerBinary } from './nats-binary.js';

let folder: string;
let cacheFolder: string;
let bin: string;
const { PATH, HOLDFAST_NATS_SERVER } = process.env;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-binary-'));
  cacheFolder = join(folder, 'cache');
  bin = join(folder, 'bin');
  await mkdir(bin);
  // Nothing else is found, and nothing is fetched.
  process.env['PATH'] = bin;
  delete process.env['HOLDFAST_NATS_SERVER'];
  await program(join(bin, 'apt-get'), 'echo "E: no network here" >&2; exit 100');
});

afterEach(async () => {
  process.env['PATH'] = PATH;
  if (HOLDFAST_NATS_SERVER !== undefined)
    process.env['HOLDFAST_NATS_SERVER'] = HOLDFAST_NATS_SERVER;
  else delete process.env['HOLDFAST_NATS_SERVER'];
  await rm(folder, { recursive: true, force: true });
});

const program = (path: string, script: string): Promise<void> =>
  writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });

const fakeServer = async (path: string, version: string): Promise<string> => {
  await program(path, `echo "nats-server: v${version}"`);
  return path;
};

describe('looking for a nats-server', () => {
  it('takes the one that is named, whatever series is asked for', async () => {
    const path = await fakeServer(join(folder, 'mine'), '2.12.1');
    process.env['HOLDFAST_NATS_SERVER'] = path;
    const expected = { path, version: '2.12.1' };
    expect(await natsServerBinary({ cacheFolder })).toEqual(expected);
    expect(await natsServerBinary({ cacheFolder, series: '2.9' })).toEqual(expected);
  });

  it('refuses a named one that is too old, or no nats-server at all', async () => {
    process.env['HOLDFAST_NATS_SERVER'] = await fakeServer(join(folder, 'old'), '2.8.4');
    await expect(natsServerBinary({ cacheFolder })).rejects.toThrow('2.8.4; 2.9 is the oldest');
    process.env['HOLDFAST_NATS_SERVER'] = join(bin, 'apt-get');
    await expect(natsServerBinary({ cacheFolder })).rejects.toThrow('not a nats-server');
  });

  it('takes the one on the path, unless it is too old', async () => {
    const path = await fakeServer(join(bin, 'nats-server'), '2.9.10');
    expect(await natsServerBinary({ cacheFolder })).toEqual({ path, version: '2.9.10' });
    await fakeServer(path, '2.8.0');
    const elsewhere = join(folder, 'another-cache');
    await expect(natsServerBinary({ cacheFolder: elsewhere })).rejects.toThrow('No nats-server');
  });

  it('prefers one that was fetched before', async () => {
    await fakeServer(join(bin, 'nats-server'), '2.9.10');
    await mkdir(join(cacheFolder, '2.10'), { recursive: true });
    const path = await fakeServer(join(cacheFolder, '2.10', 'nats-server'), '2.10.27');
    expect(await natsServerBinary({ cacheFolder })).toEqual({ path, version: '2.10.27' });
  });

  it('never takes the path for a particular series', async () => {
    await fakeServer(join(bin, 'nats-server'), '2.10.27');
    await expect(natsServerBinary({ cacheFolder, series: '2.10' })).rejects.toThrow(
      'No nats-server 2.10 found',
    );
  });

  it('says what to do when none is found and none can be fetched', async () => {
    await expect(natsServerBinary({ cacheFolder })).rejects.toThrow(
      /No nats-server found.*no network here.*Install nats-server 2\.9 or newer and put it on PATH, or set HOLDFAST_NATS_SERVER/,
    );
  });

  it('looks again after a failure', async () => {
    await expect(natsServerBinary({ cacheFolder })).rejects.toThrow('No nats-server');
    const path = await fakeServer(join(bin, 'nats-server'), '2.11.0');
    expect(await natsServerBinary({ cacheFolder })).toEqual({ path, version: '2.11.0' });
  });
});

describe('a version', () => {
  it.each([
    ['2.9.0', true],
    ['2.10.27', true],
    ['3.0.0', true],
    ['2.8.4', false],
    ['1.99.0', false],
  ])('%s is at least 2.9: %s', (version, expected) =>
    expect(isAtLeast(version, [2, 9])).toBe(expected),
  );
});
