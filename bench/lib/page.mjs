import { goalText, verdictOf } from './figures.mjs';

/**
 * Results, as `bench/results/*.json` hold them.
 *
 * @typedef {import('./results.mjs').Circumstances & {
 *   figures: readonly import('./figures.mjs').Figure[],
 *   notes?: readonly string[],
 * }} Results
 */

const BEGIN = `# What was measured

Written by \`npm run bench -- --publish\`; a check compares it with the numbers beside it, in
[performance.json](performance.json). Absolute numbers belong to one machine, so each figure is a ratio of two that
were measured in the same round: ours, and the same broker, disk or database used directly. A figure is the median of its
rounds. Every round counts and compares what it did with what it should have done; one that does not add up gives no
figure at all. The node of the benchmarks starts no programs: what is measured is Holdfast, journals and read models
included.`;

/** @param {Results} results @returns {string} Markdown, the same for the same results. */
export const pageOf = (results) =>
  [
    BEGIN,
    circumstancesOf(results),
    ...(results.notes ?? []),
    figuresTable(results.figures),
    missedOf(results.figures),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');

/** @param {Results} results */
const circumstancesOf = ({ machine, versions, commit, durability, at }) =>
  [
    '| circumstance | |',
    '| --- | --- |',
    `| machine | ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, load ${machine.loadBefore} before |`,
    `| versions | ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')} |`,
    `| durability in force | ${durability} |`,
    `| commit | ${commit} |`,
    `| measured | ${at.slice(0, 16).replace('T', ' ')} UTC |`,
  ].join('\n');

/** @param {readonly import('./figures.mjs').Figure[]} figures */
const figuresTable = (figures) =>
  [
    '| figure | what | value | rounds | goal | measured |',
    '| --- | --- | --- | --- | --- | --- |',
    ...figures.map((figure) => {
      const { id, what, value, unit, runs, lowest, highest, goal } = figure;
      const spread = runs === 1 ? '1' : `${runs}: ${lowest} to ${highest}`;
      const target = goal === null ? '' : `${goalText(goal)} ${verdictOf(figure)}`;
      return `| \`${id}\` | ${what} | ${value} ${unit} | ${spread} | ${target} | ${measuredOf(figure)} |`;
    }),
  ].join('\n');

/** @param {import('./figures.mjs').Figure} figure */
const measuredOf = ({ unit, numerator, denominator, of, against }) =>
  unit === '×' ? `${numerator} ${of}, against ${against}: ${denominator} ${of}` : against;

/** @param {readonly import('./figures.mjs').Figure[]} figures */
const missedOf = (figures) => {
  const missed = figures.filter((figure) => verdictOf(figure) === 'missed');
  if (missed.length === 0) return '';
  const lines = missed.map(
    ({ id, value, unit, goal }) =>
      `- \`${id}\`: ${value} ${unit}, where ${goalText(goal)} was wanted.`,
  );
  return `## Missed\n\n${lines.join('\n')}`;
};
