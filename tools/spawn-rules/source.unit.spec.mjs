import { describe, expect, it } from '@jest/globals';
import { readRules } from './source.mjs';

const SOURCE = `
- about: Routes
  rules:
    - id: SP-01
      kind: stated
      rule: There is one door.
- about: Placement
  rules:
    - id: SP-02
      kind: ours
      decision: '0029'
      rule: There is one node.
`;
/** @param {string} text @param {string} [replacement] */
const changed = (text, replacement = '') => readRules(SOURCE.replace(text, replacement)).problems;

describe('the source of the rules', () => {
  it('is read as it is written', () => {
    expect(readRules(SOURCE)).toEqual({
      problems: [],
      chapters: [
        {
          about: 'Routes',
          rules: [{ id: 'SP-01', kind: 'stated', rule: 'There is one door.' }],
        },
        {
          about: 'Placement',
          rules: [{ id: 'SP-02', kind: 'ours', decision: '0029', rule: 'There is one node.' }],
        },
      ],
    });
  });

  it('leaves no rule out, over all chapters, and has each once', () => {
    expect(changed('SP-02', 'SP-03')).toEqual(['SP-03: SP-02 was expected; none is left out']);
    expect(changed('SP-02', 'SP-01')).toEqual(['SP-01: SP-02 was expected; none is left out']);
  });

  it('knows three kinds', () => {
    expect(changed('ours', 'wished')).toEqual(['SP-02: kind is one of stated, derived, ours']);
  });

  it('has a sentence for each rule, a name for each chapter, and a number for each decision', () => {
    expect(changed('      rule: There is one door.\n')).toEqual(['SP-01: rule is missing']);
    expect(changed('about: Routes', "about: ''")).toHaveLength(1);
    expect(changed("'0029'", 'soon')).toHaveLength(1);
    expect(changed('kind: stated', 'kind: stated\n      proof: none')).toEqual([
      'SP-01: there is no field "proof"',
    ]);
  });

  it('reports all of its problems together', () => {
    expect(readRules('- rules: [{}]').problems.length).toBeGreaterThan(3);
    expect(readRules('').problems).toEqual(['the source is not a list of chapters']);
    expect(readRules('- about: x').problems).toEqual(['x: rules are missing']);
  });
});
