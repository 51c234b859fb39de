import { parseArgs } from 'node:util';

/** The phases in the order in which they run. */
export const PHASES = /** @type {const} */ ([
  'build',
  'typecheck',
  'lint',
  'format',
  'boundaries',
  'proto',
  'docs',
  'unit',
  'int',
  'e2e',
  'browser',
  'matrix',
  'spawn-rules',
]);

/** Tests of what was built. */
export const OF_THE_BUILD = /** @type {readonly Phase[]} */ (['e2e', 'browser']);
/** Made from the reports of all tests, or not at all. */
const OF_ALL_TESTS = ['matrix', 'spawn-rules'];

/** @typedef {typeof PHASES[number]} Phase */

export const HELP = `npm test [-- options] [-- paths]

Installs what the tests need, and runs all of them. Ends with a line "N passed, N failed".

  --only PHASE     run this phase only; can be given more than once.
                   ${PHASES.join(' ')}
  --filter REGEX   of the tests, run only those whose name matches (such as @FM-03)
  --help           show this

Paths, or parts of paths, choose test files: npm test -- --only unit libs/runs
`;

/**
 * @typedef {object} TestOptions
 * @property {readonly Phase[]} phases what to run, in order.
 * @property {string | undefined} filter
 * @property {readonly string[]} paths
 * @property {boolean} partial not every test was asked for.
 * @property {boolean} help
 */

/**
 * @param {readonly string[]} argv without the program's name.
 * @returns {TestOptions}
 * @throws {Error} in plain words: an option or phase that does not exist.
 */
export const parseTestOptions = (argv) => {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      filter: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only ?? [];
  const unheardOf = only.find((name) => !PHASES.some((phase) => phase === name));
  if (unheardOf !== undefined)
    throw new Error(`no phase is called "${unheardOf}"; there are: ${PHASES.join(', ')}`);
  const chosen = PHASES.filter((phase) => only.length === 0 || only.includes(phase));
  const partial = values.filter !== undefined || positionals.length > 0;
  return {
    // What the end-to-end tests start is what was built.
    phases: PHASES.filter(
      (phase) =>
        (chosen.includes(phase) && !(OF_ALL_TESTS.includes(phase) && partial)) ||
        (phase === 'build' && OF_THE_BUILD.some((name) => chosen.includes(name))),
    ),
    filter: values.filter,
    paths: positionals,
    partial,
    help: values.help,
  };
};
