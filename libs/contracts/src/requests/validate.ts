import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { RuleViolation } from '#kernel';
import { TOO_MANY_BYTES } from './text-rules.js';

/** One thing that is wrong with a request. Never contains what was sent. */
export interface RequestProblem {
  /** Where: `target.id`, `agents.0.name`; empty for the request as a whole. */
  readonly path: string;
  /** What, as a sentence for the person who wrote the request. */
  readonly problem: string;
  /** The rule that was broken: stable. */
  readonly rule: string;
}

export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly RequestProblem[] };

/** No request nests deeper; deeper ones are refused before anything recursive looks at them. */
const DEPTH_MAX = 8;
/** How many problems one answer names. */
const PROBLEMS_MAX = 20;

/**
 * Checks what a caller sent against a request class: unknown fields are refused, nothing is converted unless the
 * class says so, and all problems are reported together.
 *
 * @param raw what `JSON.parse` answered, or the parameters of a query string.
 */
export const validate = <T extends object>(
  requestClass: new () => T,
  raw: unknown,
): Validated<T> => {
  const outer = problemsOfShape(raw);
  if (outer.length > 0) return { ok: false, problems: outer };
  const value = plainToInstance(requestClass, raw as object);
  const errors = validateSync(value, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
  });
  const problems = errors.flatMap((error) => problemsIn(error, ''));
  return problems.length === 0
    ? { ok: true, value }
    : { ok: false, problems: problems.slice(0, PROBLEMS_MAX) };
};

/** How a request with these problems is refused: a text that is too large has a code of its own. */
export const codeOf = (
  problems: readonly RequestProblem[],
): 'invalid_request' | 'prompt_too_large' =>
  problems.length > 0 &&
  problems.every(({ path, rule }) => path === 'prompt' && rule === TOO_MANY_BYTES)
    ? 'prompt_too_large'
    : 'invalid_request';

/** `__proto__` must be refused here: class-transformer drops it silently. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

const problemsOfShape = (raw: unknown): readonly RequestProblem[] => {
  if (!isRecord(raw))
    return [{ path: '', problem: 'the request must be a JSON object', rule: 'isObject' }];
  let level: readonly unknown[] = [raw];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX)
      return [
        { path: '', problem: `nested deeper than ${String(DEPTH_MAX)} levels`, rule: 'maxDepth' },
      ];
    for (const item of level)
      if (isRecord(item) && FORBIDDEN_KEYS.some((key) => Object.hasOwn(item, key)))
        return [{ path: '', problem: 'a field has a forbidden name', rule: 'whitelistValidation' }];
    level = level.flatMap(childrenOf);
  }
  return [];
};

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const childrenOf = (item: unknown): readonly unknown[] =>
  (Array.isArray(item) ? item : Object.values(item as object)).filter(
    (child: unknown) => typeof child === 'object' && child !== null,
  );

const problemsIn = (error: ValidationError, prefix: string): readonly RequestProblem[] => {
  const path = prefix === '' ? error.property : `${prefix}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([rule, problem]) => ({
    // A caller chooses the names of unknown fields: a long one is shortened.
    path: path.slice(0, 200),
    problem: problem.slice(0, 500),
    rule,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsIn(child, path))];
};

/**
 * The request, when it is valid.
 *
 * @throws RuleViolation `invalid_request` or `prompt_too_large`, with `details.errors`: `{path, problem}` for each.
 */
export const accept = <T>(validated: Validated<T>): T => {
  if (validated.ok) return validated.value;
  const errors = validated.problems.map(({ path, problem }) => ({ path, problem }));
  throw new RuleViolation(codeOf(validated.problems), { errors }, 'the request is not valid');
};
