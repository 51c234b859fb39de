/**
 * A test that carries the id of a row in its title, as `@FM-03`.
 *
 * @typedef {object} Proof
 * @property {string} row
 * @property {string} test its full name, without the ids.
 * @property {string} file from the root of the checkout.
 * @property {'unit' | 'int' | 'e2e'} kind
 * @property {string} status jest's: `passed`, `failed`, or that it was never run.
 * @property {number} durationMs
 */

const ROW_ID = /@(FM-\d+)\b/g;
const KIND = /\.(unit|int|e2e)\.spec\.(?:ts|mjs)$/;

/**
 * The proofs in one of jest's JSON reports.
 *
 * @param {{ testResults: readonly { name: string, assertionResults: readonly { fullName: string, status: string, duration?: number | null }[] }[] }} report
 * @param {string} root the checkout
 * @returns {readonly Proof[]}
 */
export const readResults = (report, root) =>
  report.testResults.flatMap(({ name, assertionResults }) => {
    const file = name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;
    const kind = /** @type {Proof['kind']} */ (KIND.exec(file)?.[1] ?? 'unit');
    return assertionResults.flatMap(({ fullName, status, duration }) => {
      const rows = new Set([...fullName.matchAll(ROW_ID)].map(([, row]) => row ?? ''));
      const test = fullName.replaceAll(ROW_ID, '').replaceAll(/\s+/g, ' ').trim();
      return [...rows].map((row) => ({ row, test, file, kind, status, durationMs: duration ?? 0 }));
    });
  });
