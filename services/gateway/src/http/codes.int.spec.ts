import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROBLEMS } from './problem.table.js';

const CHECKOUT = join(import.meta.dirname, '../../../..');

/** Told to nodes and sagas alone: they never come through this door. */
const OF_NODES = [
  'agent_bound_elsewhere',
  'node_already_joined',
  'node_id_taken',
  'node_lease_unclear',
];
const isInside = (code: string): boolean => code.startsWith('run.') || OF_NODES.includes(code);

const sources = (): string[] =>
  ['libs', 'services'].flatMap((root) =>
    readdirSync(join(CHECKOUT, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
      .map((name) => readFileSync(join(CHECKOUT, root, name), 'utf8')),
  );

describe('the codes that the sources throw', () => {
  const thrown = sources().flatMap((text) =>
    [...text.matchAll(/new (?:RuleViolation|NotNow)\(\s*'([a-z_.]+)'/g)].map(([, code]) => code!),
  );
  const codes = [...new Set(thrown)].sort();

  it('are found', () => expect(codes).toContain('run_not_found'));

  it('have a status each, unless only nodes are told of them', () => {
    expect(codes.filter((code) => !isInside(code) && PROBLEMS[code] === undefined)).toEqual([]);
  });

  it('are not in the table without need', () => {
    expect(codes.filter((code) => isInside(code) && PROBLEMS[code] !== undefined)).toEqual([]);
  });
});
