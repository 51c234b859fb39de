import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buf } from '../../tools/proto/buf.mjs';

const ROOT = join(import.meta.dirname, '../..');

/** What was published. @param {string} body */
const proto = (body) => `syntax = "proto3";
package holdfast.v1;
message RunSubmitted {
  string agent = 1;
  string prompt = 2;
  repeated string labels = 3;
${body}}
`;

const BEFORE = proto('  uint32 priority = 4;\n');

/** Changes that break what was written before, and the rule that must say so. */
const BREAKING = [
  ['another type', proto('  string priority = 4;\n'), 'changed type from'],
  [
    'another name, which is another key in JSON',
    proto('  uint32 rank = 4;\n'),
    'changed option "json_name"',
  ],
  ['another number', proto('  uint32 priority = 5;\n'), 'was deleted without reserving the number'],
  ['gone, and its number not reserved', proto(''), 'was deleted without reserving the number'],
  [
    'no longer a list',
    BEFORE.replace('repeated string labels', 'string labels'),
    'changed cardinality',
  ],
];

const HARMLESS = [
  ['nothing changed', BEFORE],
  ['a field was added', proto('  uint32 priority = 4;\n  string note = 5;\n')],
  ['a field is gone, and reserved', proto('  reserved 4;\n  reserved "priority";\n')],
];

describe('the check for breaking changes', () => {
  /** @type {string} */
  let house;
  beforeAll(async () => {
    house = await mkdtemp(join(tmpdir(), 'holdfast-breaking-'));
    await cp(join(ROOT, 'buf.yaml'), join(house, 'buf.yaml')); // The repository's own rules.
    await mkdir(join(house, 'proto/holdfast/v1'), { recursive: true });
    await write(BEFORE);
    const built = await buf(['build', '--output', 'baseline.json'], house);
    expect(built).toEqual({ code: 0, output: '' });
  });
  afterAll(() => rm(house, { recursive: true, force: true }));

  /** @param {string} text */
  const write = (text) => writeFile(join(house, 'proto/holdfast/v1/run.proto'), text);
  /** @param {string} text */
  const check = async (text) => {
    await write(text);
    return buf(['breaking', '--against', 'baseline.json'], house);
  };

  it.each(BREAKING)('refuses a field with %s', async (_change, after, complaint) => {
    const { code, output } = await check(after);
    expect(output).toContain(complaint);
    expect(code).toBe(100);
  });

  it.each(HARMLESS)('lets pass that %s', async (_change, after) => {
    await expect(check(after)).resolves.toEqual({ code: 0, output: '' });
  });
});
