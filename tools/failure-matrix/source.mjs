import { parse } from 'yaml';

/**
 * How real the proof is. `pure`: the deciding functions alone. `fixture`: a real broker or database, with a stand-in for
 * the rest. `real processes`: the shipped services as processes of the operating system, killed by signals.
 */
export const SCOPES = /** @type {const} */ (['pure', 'fixture', 'real processes']);
/** `proven`: a test shows it. `fixed`: a test shows it that failed before. `limitation`: something is missing. */
export const STATUSES = /** @type {const} */ (['proven', 'fixed', 'limitation']);

/**
 * @typedef {object} Claim one row may hold several, each with its own scope.
 * @property {typeof SCOPES[number]} scope
 * @property {typeof STATUSES[number]} status
 * @property {string} [closingStep] of a limitation: what would end it.
 * @property {string} [failedBefore] of what was fixed: how it failed.
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {string} fault what is done to the system.
 * @property {string} guarantee
 * @property {string} notGuaranteed
 * @property {readonly Claim[]} claims
 */

const TEXTS = /** @type {const} */ (['title', 'fault', 'guarantee', 'notGuaranteed']);
const ROW_KEYS = ['id', ...TEXTS, 'claims'];
const CLAIM_KEYS = ['scope', 'status', 'closingStep', 'failedBefore'];

/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === 'string' && value.trim() !== '';

/** @param {object} value @param {readonly string[]} known @param {string} where */
const unknownKeys = (value, known, where) =>
  Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}: there is no field "${key}"`);

/** @param {Record<string, unknown>} claim @param {string} where */
const problemsOfClaim = (claim, where) => {
  const problems = unknownKeys(claim, CLAIM_KEYS, where);
  if (!SCOPES.some((scope) => scope === claim['scope']))
    problems.push(`${where}: scope is one of ${SCOPES.join(', ')}`);
  if (!STATUSES.some((status) => status === claim['status']))
    problems.push(`${where}: status is one of ${STATUSES.join(', ')}`);
  if ((claim['status'] === 'limitation') !== isText(claim['closingStep']))
    problems.push(`${where}: a limitation, and nothing else, names its closingStep`);
  if ((claim['status'] === 'fixed') !== isText(claim['failedBefore']))
    problems.push(`${where}: what was fixed, and nothing else, says how it failedBefore`);
  return problems;
};

/** @param {Record<string, unknown>} row */
const problemsOfRow = (row) => {
  const id = isText(row['id']) ? row['id'] : '(row without id)';
  const problems = unknownKeys(row, ROW_KEYS, id);
  if (!/^FM-\d{2,3}$/.test(id)) problems.push(`${id}: an id is FM- and a number`);
  for (const key of TEXTS) if (!isText(row[key])) problems.push(`${id}: ${key} is missing`);
  const claims = Array.isArray(row['claims']) ? row['claims'] : [];
  if (claims.length === 0) problems.push(`${id}: claims are missing`);
  for (const claim of claims) problems.push(...problemsOfClaim(claim ?? {}, id));
  const scopes = claims.map((claim) => claim?.scope);
  if (new Set(scopes).size !== scopes.length) problems.push(`${id}: two claims have one scope`);
  return problems;
};

/** @param {string} id */
const number = (id) => Number(id.slice(3));

/**
 * Reads the rows that people write.
 *
 * @param {string} text YAML: a list of rows.
 * @returns {{ rows: readonly Row[], problems: readonly string[] }} all problems together; rows are whole without one.
 */
export const readSource = (text) => {
  const parsed = parse(text);
  if (!Array.isArray(parsed)) return { rows: [], problems: ['the source is not a list of rows'] };
  const problems = parsed.flatMap((row) => problemsOfRow(row ?? {}));
  /** @type {Row[]} */
  const rows = problems.length === 0 ? parsed : [];
  rows.forEach(({ id }, index) => {
    const before = rows[index - 1]?.id;
    if (before !== undefined && number(before) >= number(id))
      problems.push(`${id}: stands after ${before}; rows are in order, and each once`);
  });
  return { rows, problems };
};
