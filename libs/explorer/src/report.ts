import type { Exploration } from './engine/index.js';

/** One line of a verdict table. */
export const verdictOf = (name: string, found: Exploration): string => {
  const size = sizeOf(found);
  const broken = found.broken.map((one) => one.name).join(' ');
  const verdict =
    broken === '' ? (found.exhausted ? 'holds' : 'NOT EXHAUSTED') : `BROKEN ${broken}`;
  return `${verdict.padEnd(14)} ${size.padEnd(34)} ${(found.tookMs / 1000).toFixed(1).padStart(6)} s  ${name}`;
};

export const sizeOf = ({ states, transitions }: Exploration): string =>
  `${thousands(states)} states, ${thousands(transitions)} steps`;

/** The shortest way to each thing that does not hold, one numbered step a line. */
export const tracesOf = (found: Exploration, only?: string): string =>
  found.broken
    .filter(({ name }) => only === undefined || name === only)
    .map(({ name, trace }) =>
      [`    ${name}:`, ...trace.map((step, index) => `      ${index + 1}. ${step}`)].join('\n'),
    )
    .join('\n');

/** Groups of three digits, with a narrow sign that no locale changes. */
const thousands = (count: number): string =>
  String(count).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
