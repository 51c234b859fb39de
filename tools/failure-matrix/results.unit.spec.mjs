import { describe, expect, it } from '@jest/globals';
import { evidenceOf } from './evidence.mjs';
import { readResults } from './results.mjs';

/** @param {string} fullName */
const reportOf = (fullName, status = 'passed', file = 'kill.e2e.spec.ts') => ({
  testResults: [
    {
      name: `/checkout/test-e2e/${file}`,
      assertionResults: [{ fullName, status, duration: 1200 }],
    },
  ],
});

describe('the results of tests', () => {
  it('are proofs where a title carries the id of a row', () => {
    expect(
      readResults(reportOf('a killed node @FM-03 leaves an unknown run'), '/checkout'),
    ).toEqual([
      {
        row: 'FM-03',
        test: 'a killed node leaves an unknown run',
        file: 'test-e2e/kill.e2e.spec.ts',
        kind: 'e2e',
        status: 'passed',
        durationMs: 1200,
      },
    ]);
  });

  it.each(/** @type {const} */ (['unit', 'int', 'e2e', 'browser']))(
    'are of the kind that the name of their file says: %s',
    (kind) => {
      const report = reportOf('a run @FM-03', 'passed', `kill.${kind}.spec.ts`);
      expect(readResults(report, '/checkout')).toMatchObject([{ kind }]);
    },
  );

  it('can be proofs of several rows, each once', () => {
    const proofs = readResults(reportOf('@FM-36 @FM-35 a cut (@FM-35)'), '/checkout');
    expect(proofs.map(({ row }) => row)).toEqual(['FM-36', 'FM-35']);
  });

  it('can be proofs of rules, and carry the ids of both', () => {
    const report = reportOf('a spawn (@SP-44, @SP-55) is unknown (@FM-03) (again)');
    const proofs = readResults(report, '/checkout', 'SP');
    expect(proofs.map(({ row }) => row)).toEqual(['SP-44', 'SP-55']);
    expect(proofs[0]?.test).toBe('a spawn is unknown (again)');
    expect(readResults(report, '/checkout').map(({ row }) => row)).toEqual(['FM-03']);
  });

  it('are no proof without an id', () => {
    expect(readResults(reportOf('FM-03 without its mark, user@FM-03x'), '/checkout')).toEqual([]);
  });
});

describe('the evidence of a row', () => {
  const row = {
    id: 'FM-03',
    title: 'A node dies',
    fault: 'SIGKILL',
    guarantee: 'Nothing is sent twice.',
    notGuaranteed: 'The work.',
    claims: [
      { scope: /** @type {const} */ ('real processes'), status: /** @type {const} */ ('proven') },
    ],
  };
  const run = { commit: 'abc', environment: { node: 'v20' } };

  it('holds commit, environment, fault, what was observed, the command and its exit', () => {
    const proofs = readResults(reportOf('a run @FM-03 is unknown'), '/checkout');
    expect(evidenceOf(row, proofs, run)).toEqual({
      row: 'FM-03',
      title: 'A node dies',
      commit: 'abc',
      environment: { node: 'v20' },
      fault: 'SIGKILL',
      guaranteed: 'Nothing is sent twice.',
      notGuaranteed: 'The work.',
      claims: row.claims,
      observed: [
        {
          test: 'a run is unknown',
          file: 'test-e2e/kill.e2e.spec.ts',
          status: 'passed',
          durationMs: 1200,
        },
      ],
      command: 'npm test -- --filter @FM-03',
      exit: 0,
      totalMs: 1200,
    });
  });

  it('says so when a test of it failed', () => {
    const proofs = readResults(reportOf('a run @FM-03 is unknown', 'failed'), '/checkout');
    expect(evidenceOf(row, proofs, run).exit).toBe(1);
  });
});
