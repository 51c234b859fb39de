import { describe, expect, it } from '@jest/globals';
import { overclaims, render, summary, underclaims, withCounts } from './matrix.mjs';

/** @typedef {import('./source.mjs').Claim} Claim @typedef {import('./results.mjs').Proof} Proof */

/** @param {readonly Claim[]} claims @param {string} [id] */
const row = (claims, id = 'FM-03') => ({
  id,
  title: 'A node dies',
  fault: 'SIGKILL',
  guarantee: 'Nothing is sent twice.',
  notGuaranteed: 'The work | its effects.',
  claims,
});
/** @param {Partial<Proof>} over @returns {Proof} */
const proof = (over = {}) => ({
  row: 'FM-03',
  test: 'a run is unknown within 15 s',
  file: 'test-e2e/kill.e2e.spec.ts',
  kind: 'e2e',
  status: 'passed',
  durationMs: 12_345,
  ...over,
});
/** @type {Claim} */
const proven = { scope: 'real processes', status: 'proven' };
/** @type {Claim} */
const limitation = { scope: 'real processes', status: 'limitation', closingStep: 'not written' };
/** @type {Claim} */
const fixed = { scope: 'pure', status: 'fixed', failedBefore: 'it was sent twice' };

describe('a claim', () => {
  it('stands when a test of its scope passed in this run', () => {
    expect(overclaims([row([proven])], [proof()])).toEqual([]);
    expect(overclaims([row([fixed])], [proof({ kind: 'unit' })])).toEqual([]);
  });

  it('falls without any test', () => {
    expect(overclaims([row([proven])], [])).toEqual([
      'FM-03 claims "proven" with real processes, but no passing e2e or browser test of this run carries @FM-03',
    ]);
  });

  it('falls when its only test is of another row', () => {
    const other = row([limitation], 'FM-04');
    expect(overclaims([row([proven]), other], [proof({ row: 'FM-04' })])).toHaveLength(1);
  });

  it('falls when only a test of a lesser scope passed', () => {
    expect(overclaims([row([proven])], [proof({ kind: 'unit' })])).toHaveLength(1);
    expect(overclaims([row([fixed])], [proof({ kind: 'e2e' })])).toHaveLength(1);
  });

  it('of real processes falls when only stand-ins were tested, unless that test starts services', () => {
    const file = 'services/sagas/src/spawn-races.int.spec.ts';
    expect(overclaims([row([proven])], [proof({ kind: 'int', file })])).toHaveLength(1);
    const starts = 'services/projector/src/postgres-faults.int.spec.ts';
    expect(overclaims([row([proven])], [proof({ kind: 'int', file: starts })])).toEqual([]);
  });

  it.each(['failed', 'pending', 'todo'])(
    'falls when one of its tests is %s beside one that passed',
    (status) => {
      const flawed = proof({ test: 'another seed', status });
      expect(overclaims([row([proven])], [proof(), flawed])).toEqual([
        `FM-03 claims "proven", but test-e2e/kill.e2e.spec.ts › another seed is ${status}`,
      ]);
    },
  );

  it('needs its own proof beside another claim of its row', () => {
    expect(overclaims([row([proven, fixed])], [proof()])).toHaveLength(1);
    expect(overclaims([row([proven, fixed])], [proof(), proof({ kind: 'unit' })])).toEqual([]);
  });

  it('that is a limitation needs no test, and may have one that fails', () => {
    expect(overclaims([row([limitation])], [])).toEqual([]);
    expect(overclaims([row([limitation])], [proof({ status: 'failed' })])).toEqual([]);
  });

  it('that is a limitation although a test passes is hinted at', () => {
    expect(underclaims([row([limitation])], [proof()])).toEqual([
      'FM-03 is a limitation with real processes, but a passing test carries it',
    ]);
    expect(underclaims([row([limitation])], [proof({ status: 'failed' })])).toEqual([]);
  });
});

describe('a test', () => {
  it('must not carry a row that nobody wrote', () => {
    expect(overclaims([row([limitation])], [proof({ row: 'FM-99' })])).toEqual([
      'FM-99 is not in the source, but test-e2e/kill.e2e.spec.ts › a run is unknown within 15 s carries it',
    ]);
  });
});

describe('the page', () => {
  it('is the same whatever differs from run to run', () => {
    const rows = [row([proven])];
    const second = proof({ test: 'b' });
    expect(render(rows, [proof(), second])).toBe(render(rows, [second, proof({ durationMs: 1 })]));
  });

  it('shows what is not guaranteed, each claim with its scope, and the tests that passed', () => {
    const page = render(
      [row([proven, fixed, limitation])],
      [proof(), proof({ test: 'lost', status: 'failed' })],
    );
    expect(page).toContain('| Not guaranteed | The work \\| its effects. |');
    expect(page).toContain(
      '**proven** (real processes)<br>**fixed** (pure); before: it was sent twice<br>**limitation** (real processes); closing step: not written',
    );
    expect(page).toContain('- a run is unknown within 15 s (`test-e2e/kill.e2e.spec.ts`)');
    expect(page).not.toContain('- lost');
  });

  it('changes when a test stops passing', () => {
    const rows = [row([proven])];
    expect(render(rows, [proof({ status: 'failed' })])).not.toBe(render(rows, [proof()]));
  });
});

describe('the counts', () => {
  it('say how many claims have which status, limitations too', () => {
    const rows = [row([proven, limitation]), row([fixed], 'FM-04')];
    expect(summary(rows)).toBe('Faults: 2. Claims about them: 1 proven, 1 fixed, 1 limited so far');
  });

  it('stand between their marks in the README', () => {
    const readme = 'a\n<!-- failure-matrix -->\nold\n<!-- /failure-matrix -->\nb\n';
    expect(withCounts(readme, [row([proven])])).toBe(
      'a\n<!-- failure-matrix -->\n\nFaults: 1. Claims about them: 1 proven, 0 fixed, 0 limited so far.\n\n<!-- /failure-matrix -->\nb\n',
    );
    expect(() => withCounts('no marks', [])).toThrow('no place for the counts');
  });
});
