import { describe, expect, it } from '@jest/globals';
import { readSource } from './source.mjs';

const ROW = `
- id: FM-03
  title: A node dies
  fault: SIGKILL
  guarantee: Nothing is sent twice.
  notGuaranteed: The work.
  claims:
    - scope: real processes
      status: proven
`;
/** @param {string} text @param {string} replacement */
const without = (text, replacement = '') => readSource(ROW.replace(text, replacement)).problems;

describe('the source of the matrix', () => {
  it('is read as it is written', () => {
    expect(readSource(ROW)).toEqual({
      problems: [],
      rows: [
        {
          id: 'FM-03',
          title: 'A node dies',
          fault: 'SIGKILL',
          guarantee: 'Nothing is sent twice.',
          notGuaranteed: 'The work.',
          claims: [{ scope: 'real processes', status: 'proven' }],
        },
      ],
    });
  });

  it('names in every row what is not guaranteed', () => {
    expect(without('  notGuaranteed: The work.\n')).toEqual(['FM-03: notGuaranteed is missing']);
    expect(without('The work.', "''")).toEqual(['FM-03: notGuaranteed is missing']);
  });

  it.each(['title: A node dies', 'fault: SIGKILL', 'guarantee: Nothing is sent twice.'])(
    'refuses a row without its %s',
    (line) => {
      expect(without(`  ${line}\n`)).toEqual([`FM-03: ${line.split(':')[0]} is missing`]);
    },
  );

  it('knows three statuses and three scopes', () => {
    expect(without('proven', 'running')).toEqual([
      'FM-03: status is one of proven, fixed, limitation',
    ]);
    expect(without('real processes', 'production')).toEqual([
      'FM-03: scope is one of pure, fixture, real processes',
    ]);
  });

  it('names the closing step of a limitation, and of nothing else', () => {
    const problem = ['FM-03: a limitation, and nothing else, names its closingStep'];
    expect(without('status: proven', 'status: limitation')).toEqual(problem);
    expect(without('status: proven', 'status: proven\n      closingStep: a test')).toEqual(problem);
    expect(without('status: proven', 'status: limitation\n      closingStep: a test')).toEqual([]);
  });

  it('says of what was fixed how it failed before', () => {
    expect(without('status: proven', 'status: fixed')).toEqual([
      'FM-03: what was fixed, and nothing else, says how it failedBefore',
    ]);
    expect(without('status: proven', 'status: fixed\n      failedBefore: twice')).toEqual([]);
  });

  it('refuses a field that it does not know, and a second claim of one scope', () => {
    expect(without('  fault:', '  figures: 15 s\n  fault:')).toEqual([
      'FM-03: there is no field "figures"',
    ]);
    const second = '    - scope: real processes\n      status: proven\n';
    expect(readSource(ROW + second).problems).toEqual(['FM-03: two claims have one scope']);
  });

  it('keeps rows in order, each once', () => {
    expect(readSource(ROW + ROW).problems).toEqual([
      'FM-03: stands after FM-03; rows are in order, and each once',
    ]);
    expect(readSource(ROW + ROW.replace('FM-03', 'FM-02')).problems).toHaveLength(1);
    expect(readSource(ROW + ROW.replace('FM-03', 'FM-104')).problems).toEqual([]);
  });

  it('reports all of its problems together', () => {
    expect(readSource('- title: x').problems.length).toBeGreaterThan(3);
    expect(readSource('').problems).toEqual(['the source is not a list of rows']);
  });
});
