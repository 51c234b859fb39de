import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimeByName } from '#runtimes/registry';
import { InvalidNodeConfig, readNodeConfig } from './node.config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-node-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = async (raw: object) => {
  const path = join(folder, 'node.json');
  writeFileSync(path, JSON.stringify({ id: 'n1', ...raw }));
  return readNodeConfig(path, runtimeByName);
};
const problemsOf = (raw: object): Promise<readonly string[]> =>
  read(raw).then(
    () => [],
    (error: unknown) => {
      if (error instanceof InvalidNodeConfig) return error.problems;
      throw error;
    },
  );

const CLI = { name: 'sample', runtime: 'cli', argv: ['agent', '{prompt}'] };

describe('the harnesses in a node’s file', () => {
  it('are none when it says nothing of them', async () => {
    expect([...(await read({})).harnesses]).toEqual([]);
  });

  it('are configured as agents are, and may have a ready file', async () => {
    const harnesses = [
      { ...CLI, readyFile: '/run/ready' },
      { ...CLI, name: 'other' },
    ];
    const found = [...(await read({ harnesses })).harnesses.values()];
    expect(found.map(({ name, readyFile }) => [name, readyFile])).toEqual([
      ['sample', '/run/ready'],
      ['other', null],
    ]);
    expect(found[0]?.config).toMatchObject({ argv: ['agent', '{prompt}'], promptBy: 'argument' });
  });

  it.each([
    ['a list', { sample: CLI }, 'harnesses must be a list of at most 64'],
    ['not too many', Array(65).fill(CLI), 'harnesses must be a list of at most 64'],
    ['of different names', [CLI, CLI], 'harnesses[1].name sample is there twice'],
    [
      'programs that nobody speaks to',
      [{ name: 'sample', runtime: 'resumable-sample' }],
      'harnesses[0].runtime resumable-sample can not spawn agents; allowed are: cli',
    ],
    [
      'of a runtime that there is',
      [{ ...CLI, runtime: 'no-such' }],
      'harnesses[0].runtime "no-such" is not a runtime of this node',
    ],
    [
      'what their runtime takes',
      [{ ...CLI, argv: ['agent'] }],
      'harnesses[0] (sample): argv: needs {prompt}, or promptBy must be stdin',
    ],
    [
      'ready by an absolute path',
      [{ ...CLI, readyFile: 'ready' }],
      'harnesses[0].readyFile must be an absolute path',
    ],
  ])('must be %s', async (_what, harnesses, problem) => {
    expect(await problemsOf({ harnesses })).toEqual([problem]);
  });

  it('are no agents: a ready file is not known of one', async () => {
    expect(await problemsOf({ agents: [{ ...CLI, readyFile: '/run/ready' }] })).toEqual([
      'agents[0] (sample): readyFile: unknown field',
    ]);
  });
});
