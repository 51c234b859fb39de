/** @param {readonly number[]} values @param {number} part 0 to 1 */
export const quantile = (values, part) => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};

/** @param {number} value */
export const round = (value) => (value >= 100 ? Math.round(value) : Math.round(value * 10) / 10);

/**
 * One line of the result: what was measured, what it is compared with in the same run, and the ratio of the two.
 *
 * @typedef {object} Figure
 * @property {string} what
 * @property {number} value
 * @property {string} unit
 * @property {string} against
 * @property {number} reference
 *
 * @param {readonly Figure[]} figures
 */
export const table = (figures) => {
  const rows = figures.map(({ what, value, unit, against, reference }) => [
    what,
    `${round(value)} ${unit}`,
    `${against}: ${round(reference)} ${unit}`,
    (value / reference).toFixed(2),
  ]);
  const all = [['measured', 'value', 'compared with', 'ratio'], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
