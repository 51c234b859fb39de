import { describe, expect, it } from '@jest/globals';
import { gaps, render, staleness, withoutTest } from './rules.mjs';

/** @typedef {import('./source.mjs').Rule} Rule @typedef {import('../failure-matrix/results.mjs').Proof} Proof */

/** @param {Partial<Rule>} [over] @returns {Rule} */
const rule = (over) => ({ id: 'SP-01', kind: 'stated', rule: 'There is one door.', ...over });
/** @param {readonly Rule[]} rules */
const chapters = (...rules) => [{ about: 'Routes', rules }];
/** @param {Partial<Proof>} [over] @returns {Proof} */
const proof = (over) => ({
  row: 'SP-01',
  test: 'the generic door refuses the contract',
  file: 'services/gateway/src/doors.int.spec.ts',
  kind: 'int',
  status: 'passed',
  durationMs: 12,
  ...over,
});
const decision = { file: '0029-what-does-not-fit.md', text: 'SP-01 and SP-12 do not fit.' };
const decisions = new Map([['0029', decision]]);
/** @param {readonly Rule[]} rules @param {readonly Proof[]} proofs */
const gapsOf = (rules, proofs) => gaps(chapters(...rules), proofs, decisions);

describe('a rule', () => {
  it('is shown by a passing test that carries its id', () => {
    expect(gapsOf([rule()], [proof()])).toEqual([]);
  });

  it.each(/** @type {const} */ (['stated', 'derived']))(
    'that is %s and has neither a test nor a decision is a fault',
    (kind) => {
      expect(gapsOf([rule({ kind })], [])).toEqual([
        `SP-01 is ${kind}: neither a passing test nor a decision speaks of it`,
      ]);
    },
  );

  it('of which only another rule has a test is a fault', () => {
    expect(gapsOf([rule(), rule({ id: 'SP-02' })], [proof({ row: 'SP-02' })])).toHaveLength(1);
  });

  it('of our own needs no test, and is listed without one', () => {
    const own = rule({ kind: 'ours' });
    expect(gapsOf([own], [])).toEqual([]);
    expect(withoutTest(chapters(own), [])).toEqual([own]);
    expect(withoutTest(chapters(own), [proof()])).toEqual([]);
  });

  it('that does not fit leans on a decision that names it', () => {
    expect(gapsOf([rule({ decision: '0029' })], [])).toEqual([]);
    expect(gapsOf([rule({ decision: '0030' })], [])).toEqual(['SP-01: there is no decision 0030']);
    expect(gapsOf([rule({ id: 'SP-1', decision: '0029' })], [])).toEqual([
      'SP-1: decision 0029 says nothing of it',
    ]);
  });

  it.each(['failed', 'pending', 'todo'])('with a test that is %s is a fault', (status) => {
    const file = 'services/gateway/src/doors.int.spec.ts';
    expect(gapsOf([rule()], [proof(), proof({ test: 'another', status })])).toEqual([
      `SP-01: ${file} › another is ${status}`,
    ]);
  });

  it('that a test carries and nobody wrote is a fault', () => {
    expect(gapsOf([rule()], [proof(), proof({ row: 'SP-99' })])).toEqual([
      'SP-99 is no rule, but services/gateway/src/doors.int.spec.ts › the generic door refuses the contract carries it',
    ]);
  });
});

describe('the page of the rules', () => {
  const all = chapters(rule(), rule({ id: 'SP-02', decision: '0029' }), rule({ id: 'SP-03' }));
  const page = render(
    all,
    [proof(), proof(), proof({ row: 'SP-02', status: 'failed' })],
    decisions,
  );

  it('says of each rule which tests show it, each once, or what was decided', () => {
    expect(page.split('\n## Routes\n\n')[1]?.split('\n')).toEqual([
      '### SP-01 (stated)',
      '',
      'There is one door.',
      '',
      'Shown by:',
      '',
      '- the generic door refuses the contract (`services/gateway/src/doors.int.spec.ts`)',
      '',
      '### SP-02 (stated)',
      '',
      'There is one door.',
      '',
      'Decided: [0029](adr/0029-what-does-not-fit.md).',
      '',
      '### SP-03 (stated)',
      '',
      'There is one door.',
      '',
      'No test carries this rule yet.',
      '',
    ]);
  });

  it('counts them', () => {
    expect(page).toContain('Rules: 3. Shown by a test: 1. By a decision alone: 1. By neither: 1.');
  });

  it('is stale when it is not there, or a test was renamed since', () => {
    expect(staleness(page, page)).toEqual([]);
    expect(staleness('', page)).toHaveLength(1);
    const renamed = render(all, [proof({ test: 'another name' })], decisions);
    expect(staleness(page, renamed)).toEqual([
      'docs/spawn-rules.md is not what this run shows: npm run spawn-rules',
    ]);
  });
});
