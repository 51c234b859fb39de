import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adopt, readEnd } from './end-watch.js';
import { identify } from './process-identity.js';

let workdir: string;
const exit = (): string => join(workdir, 'exit');
beforeEach(() => {
  workdir = mkdtempSync(join(tmpdir(), 'holdfast-end-'));
});
afterEach(() => rm(workdir, { recursive: true, force: true }));

const NO_EXITS = [
  '',
  '\0\0\0\0',
  'success',
  '{"status":',
  'null',
  '7',
  '"never"',
  '[]',
  '[{"status":0}]',
  '{}',
  '{"never":false}',
  '{"never":"true"}',
  '{"never":true,"status":0}',
  '{"status":null}',
  '{"status":"0"}',
  '{"status":-1}',
  '{"status":256}',
  '{"status":0.5}',
  '{"status":1e999}',
  'x'.repeat(10_000),
];

describe('the exit that a work directory tells of', () => {
  it.each([
    ['{"status":0}\n', { kind: 'exited', code: 0 }],
    ['{"status":255}\n', { kind: 'exited', code: 255 }],
    ['{"never":true}\n', { kind: 'not-started', reason: 'no-go' }],
  ])('is what the shim wrote: %j', async (text, end) => {
    await writeFile(exit(), text);
    expect(await readEnd(workdir)).toEqual(end);
  });

  it.each(NO_EXITS)('is none where something else was written: %j', async (text) => {
    await writeFile(exit(), text);
    expect(await readEnd(workdir)).toBeUndefined();
  });

  it('is none where something else was put in its place, or its folder is gone', async () => {
    await mkdir(exit());
    expect(await readEnd(workdir)).toBeUndefined();
    await rm(exit(), { recursive: true });
    await symlink('exit', exit());
    expect(await readEnd(workdir)).toBeUndefined();
    await rm(exit());
    execFileSync('mkfifo', [exit()]);
    expect(await readEnd(workdir)).toBeUndefined();
    await rm(workdir, { recursive: true });
    expect(await readEnd(workdir)).toBeUndefined();
    await writeFile(workdir, 'a file');
    expect(await readEnd(workdir)).toBeUndefined();
  });

  it('leaves a dead program gone when it is none', async () => {
    const identity = identify(process.pid);
    if (identity === undefined) throw new Error('this process has no identity');
    const dead = { ...identity, startTicks: identity.startTicks - 1 };
    await writeFile(exit(), 'null');
    const watch = adopt({ shim: dead, child: dead }, workdir, { pollMs: 10 });
    expect(await watch.ended).toEqual({ kind: 'gone' });
  });
});
