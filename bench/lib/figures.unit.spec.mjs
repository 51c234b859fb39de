import { describe, expect, it } from '@jest/globals';
import { allCompleted } from './check.mjs';
import { Ledger, quantile, table, verdictOf } from './figures.mjs';
import { optionsIn } from './options.mjs';
import { pageOf } from './page.mjs';

const meaning = { what: 'accepting', of: 'ms', against: 'a plain publish', goal: { atMost: 4 } };
const measured = (/** @type {readonly (readonly [number, number])[]} */ ...samples) => {
  const ledger = new Ledger();
  for (const [numerator, denominator] of samples)
    ledger.add('accept.p50', meaning, { numerator, denominator });
  const [figure] = ledger.figures();
  if (figure === undefined) throw new Error('no figure');
  return figure;
};

describe('a figure', () => {
  it('is the median of the ratios of its rounds, not the ratio of two medians', () => {
    const figure = measured([2, 1], [30, 10], [8, 1]);
    expect(figure).toMatchObject({ value: 3, runs: 3, lowest: 2, highest: 8 });
    expect([figure.numerator, figure.denominator]).toEqual([8, 1]);
  });

  it('meets its goal at the bound, and misses it beyond', () => {
    expect(verdictOf(measured([4, 1]))).toBe('met');
    expect(verdictOf(measured([4.1, 1]))).toBe('missed');
    const atLeast = { ...measured([1, 2]), goal: { atLeast: 0.5 } };
    expect(verdictOf(atLeast)).toBe('met');
    expect(verdictOf({ ...atLeast, value: 0.49 })).toBe('missed');
    expect(verdictOf({ ...atLeast, goal: null })).toBe('');
  });

  it('that was not measured is no number, and never meets a goal', () => {
    const figure = measured([Number.NaN, 1]);
    expect(figure.value).toBeNaN();
    expect(verdictOf(figure)).toBe('missed');
  });
});

describe('a quantile', () => {
  it('is one of the values', () => {
    expect(quantile([3, 1, 2], 0.5)).toBe(2);
    expect(quantile([1, 2, 3, 4], 0.99)).toBe(4);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('what readers see', () => {
  const results = {
    machine: { cpu: 'some', cores: 2, memoryGb: 24, loadBefore: 0.1 },
    versions: { node: 'v22.0.0' },
    commit: 'abc',
    durability: 'synced',
    at: '2030-01-02T03:04:05.678Z',
    figures: [measured([9, 1])],
  };

  it('names the machine, the commit, the durability, and what was missed', () => {
    const page = pageOf(results);
    for (const part of ['2 cores (some)', 'commit | abc', 'in force | synced', '2030-01-02 03:04'])
      expect(page).toContain(part);
    expect(page).toContain('## Missed\n\n- `accept.p50`: 9 ×, where ≤ 4 was wanted.');
    expect(table(results.figures)).toContain('missed');
  });

  it('has no list of what was missed when nothing was', () => {
    expect(pageOf({ ...results, figures: [measured([3, 1])] })).not.toContain('## Missed');
  });
});

describe('the command line', () => {
  const parse = (/** @type {string[]} */ ...args) => optionsIn(args, ['lag', 'size']);

  it('takes names and bounds', () => {
    expect(parse('lag', '--rounds', '3')).toMatchObject({
      names: ['lag'],
      rounds: 3,
      runs: 100_000,
    });
    expect(parse()).toMatchObject({ names: [], rounds: 5, publish: false });
  });

  it.each([
    [['speed'], 'there is no benchmark called speed'],
    [['--rounds', '0'], '--rounds takes a whole number from 1 to 50, not 0'],
    [['--runs', 'many'], '--runs takes a whole number'],
    [['lag', '--publish'], 'name no benchmark with it'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (args, words) => {
    expect(() => parse(...args)).toThrow(words);
  });
});

describe('work that does not add up gives no figure', () => {
  const showing = (/** @type {readonly { id: string, status: string }[]} */ rows) => {
    const completed = rows.filter(({ status }) => status === 'completed').length;
    const query = async (/** @type {string} */ text) =>
      text.includes('count(*)') ? { rows: [{ completed }] } : { rows };
    return /** @type {import('./stack.mjs').System} */ (
      /** @type {unknown} */ ({ database: { query } })
    );
  };
  const done = (/** @type {string} */ id) => ({ id, status: 'completed' });
  const judge = (/** @type {readonly { id: string, status: string }[]} */ rows) =>
    allCompleted(showing(rows), ['a', 'b'], new Date(0));

  it('passes when the rows are the runs that were accepted, in any order', async () => {
    await expect(judge([done('b'), done('a')])).resolves.toBeUndefined();
  });

  it.each([
    ['another run', [done('a'), done('c')]],
    ['a run too many', [done('a'), done('b'), done('c')]],
    ['one twice', [done('a'), done('a')]],
    ['one that failed beside them', [done('a'), done('b'), { id: 'c', status: 'failed' }]],
  ])('refuses %s', async (_what, rows) => {
    await expect(judge(rows)).rejects.toThrow('void');
  });
});
