import { parse } from 'yaml';

/**
 * Where a rule comes from. `stated`: the contract says it. `derived`: it follows from what the contract says. `ours`: it goes
 * beyond the contract. The first two must be shown by a test, or a decision says why they can't be.
 */
export const KINDS = /** @type {const} */ (['stated', 'derived', 'ours']);

/**
 * @typedef {object} Rule
 * @property {string} id
 * @property {typeof KINDS[number]} kind
 * @property {string} rule one sentence.
 * @property {string} [decision] the number of the architecture decision that says how it fits, or why not.
 *
 * @typedef {object} Chapter
 * @property {string} about
 * @property {readonly Rule[]} rules
 */

const RULE_KEYS = ['id', 'kind', 'rule', 'decision'];
const CHAPTER_KEYS = ['about', 'rules'];

const DECISION = /^\d{4}$/;

/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === 'string' && value.trim() !== '';

/** @param {object} value @param {readonly string[]} known @param {string} where */
const unknownKeys = (value, known, where) =>
  Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}: there is no field "${key}"`);

/** @param {Record<string, unknown>} rule @param {number} position from 1, over all chapters. */
const problemsOfRule = (rule, position) => {
  const expected = `SP-${String(position).padStart(2, '0')}`;
  const id = isText(rule['id']) ? rule['id'] : '(rule without id)';
  const problems = unknownKeys(rule, RULE_KEYS, id);
  if (id !== expected) problems.push(`${id}: ${expected} was expected; none is left out`);
  if (!KINDS.some((kind) => kind === rule['kind']))
    problems.push(`${id}: kind is one of ${KINDS.join(', ')}`);
  if (!isText(rule['rule'])) problems.push(`${id}: rule is missing`);
  const { decision = '0000' } = rule;
  if (!isText(decision) || !DECISION.test(decision))
    problems.push(`${id}: a decision is a number of four digits, in quotes`);
  return problems;
};

/**
 * Reads the rules that people write.
 *
 * @param {string} text YAML: a list of chapters.
 * @returns {{ chapters: readonly Chapter[], problems: readonly string[] }} all problems together; chapters are whole without one.
 */
export const readRules = (text) => {
  const parsed = parse(text);
  if (!Array.isArray(parsed))
    return { chapters: [], problems: ['the source is not a list of chapters'] };
  /** @type {string[]} */
  const problems = [];
  let position = 0;
  for (const chapter of parsed) {
    const about = isText(chapter?.about) ? chapter.about : '(chapter without a name)';
    problems.push(...unknownKeys(chapter ?? {}, CHAPTER_KEYS, about));
    if (!isText(chapter?.about)) problems.push(`${about}: about is missing`);
    const rules = Array.isArray(chapter?.rules) ? chapter.rules : [];
    if (rules.length === 0) problems.push(`${about}: rules are missing`);
    for (const rule of rules) problems.push(...problemsOfRule(rule ?? {}, (position += 1)));
  }
  return { chapters: problems.length === 0 ? parsed : [], problems };
};
