/** @param {readonly number[]} values @param {number} part 0 to 1 */
export const quantile = (values, part) => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5);

/**
 * One figure, over all rounds in which it was measured.
 *
 * @typedef {object} Figure
 * @property {string} id stable: `accept.nats.p50`.
 * @property {string} what in words.
 * @property {number} value the median of its rounds; a ratio of two measurements of the same round unless `unit` says otherwise.
 * @property {string} unit `×`, or what was counted.
 * @property {number} runs rounds.
 * @property {number} lowest of all rounds
 * @property {number} highest of all rounds
 * @property {number} numerator median, in `of`
 * @property {number} denominator median, in `of`
 * @property {string} of the unit of the two: `ms`, `/s`.
 * @property {string} against what the denominator is.
 * @property {Goal | null} goal
 *
 * @typedef {{ readonly atMost: number } | { readonly atLeast: number }} Goal
 */

/**
 * What one round measured of one figure.
 *
 * @typedef {object} Sample
 * @property {number} numerator
 * @property {number} denominator
 *
 * What a figure is, whatever it comes to.
 *
 * @typedef {Pick<Figure, 'what' | 'of' | 'against' | 'goal'> & { unit?: string }} Meaning
 */

/** Gathers what rounds measure, and makes figures of it. */
export class Ledger {
  /** @type {Map<string, { meaning: Meaning, samples: Sample[] }>} */
  #entries = new Map();

  /** @param {string} id @param {Meaning} meaning @param {Sample} sample */
  add(id, meaning, sample) {
    const entry = this.#entries.get(id) ?? { meaning, samples: [] };
    entry.samples.push(sample);
    this.#entries.set(id, entry);
  }

  /** @returns {readonly Figure[]} */
  figures() {
    return [...this.#entries].map(([id, { meaning, samples }]) => {
      const ratios = samples.map(({ numerator, denominator }) => numerator / denominator);
      return {
        id,
        ...meaning,
        unit: meaning.unit ?? '×',
        value: rounded(median(ratios)),
        runs: samples.length,
        lowest: rounded(Math.min(...ratios)),
        highest: rounded(Math.max(...ratios)),
        numerator: rounded(median(samples.map(({ numerator }) => numerator))),
        denominator: rounded(median(samples.map(({ denominator }) => denominator))),
      };
    });
  }
}

/** Three significant digits: nothing here is more exact. @param {number} value */
export const rounded = (value) => (Number.isFinite(value) ? Number(value.toPrecision(3)) : value);

/** @param {Figure} figure @returns {'met' | 'missed' | ''} */
export const verdictOf = ({ goal, value }) => {
  if (goal === null) return '';
  const isMet = 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
  return isMet ? 'met' : 'missed';
};

/** @param {Goal | null} goal */
export const goalText = (goal) => {
  if (goal === null) return '';
  return 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
};

/** One line per figure, aligned. @param {readonly Figure[]} figures */
export const table = (figures) => {
  const rows = figures.map((figure) => {
    const { id, value, unit, lowest, highest, numerator, denominator, of, against, goal } = figure;
    const spread = lowest === highest ? '' : `${lowest} to ${highest}`;
    const parts = unit === '×' ? `${numerator} ${of} / ${denominator} ${of} (${against})` : against;
    return [id, `${value} ${unit}`, spread, goalText(goal), verdictOf(figure), parts];
  });
  const all = [['figure', 'value', 'rounds', 'goal', '', 'measured against'], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((at) =>
    Math.max(...all.map((row) => row[at]?.length ?? 0)),
  );
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
