import { JEST_PROJECTS } from '../../scripts/lib/jest-phase.mjs';

/**
 * A test that carries the id of a row in its title, as `@FM-03`; or of a rule, as `@SP-44`.
 *
 * @typedef {object} Proof
 * @property {string} row
 * @property {string} test its full name, without the ids.
 * @property {string} file from the root of the checkout.
 * @property {import('../../scripts/lib/jest-phase.mjs').JestProject['name']} kind
 * @property {string} status jest's: `passed`, `failed`, or that it was never run.
 * @property {number} durationMs
 */

const IDS = { FM: /@(FM-\d+)\b/g, SP: /@(SP-\d+)\b/g };
const KIND = new RegExp(
  String.raw`\.(${JEST_PROJECTS.map(({ name }) => name).join('|')})\.spec\.(?:ts|mjs)$`,
);

/**
 * The proofs in one of jest's JSON reports.
 *
 * @param {{ testResults: readonly { name: string, assertionResults: readonly { fullName: string, status: string, duration?: number | null }[] }[] }} report
 * @param {string} root the checkout
 * @param {keyof typeof IDS} [prefix] of the ids that are looked for.
 * @returns {readonly Proof[]}
 */
export const readResults = (report, root, prefix = 'FM') =>
  report.testResults.flatMap(({ name, assertionResults }) => {
    const file = name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;
    const kind = /** @type {Proof['kind']} */ (KIND.exec(file)?.[1] ?? 'unit');
    return assertionResults.flatMap(({ fullName, status, duration }) => {
      const rows = new Set([...fullName.matchAll(IDS[prefix])].map(([, row]) => row ?? ''));
      const test = withoutIds(fullName);
      return [...rows].map((row) => ({ row, test, file, kind, status, durationMs: duration ?? 0 }));
    });
  });

/** Ids of either kind say nothing to who reads the name; nor does what is left of brackets that held nothing else. */
const withoutIds = (/** @type {string} */ name) =>
  name
    .replaceAll(IDS.FM, '')
    .replaceAll(IDS.SP, '')
    .replaceAll(/\([\s,]*\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
