import { RuleViolation } from '#kernel';

/** The field that names the contract of a strict spawn, in both spellings that callers use. */
const FIELDS = ['spawn_contract', 'spawnContract'];

/**
 * Turns away what asks for a strict spawn at a route that can't promise one: it would look as if the promise had been given.
 *
 * @throws RuleViolation `strict_contract_route_only`
 */
export const refuseStrictContract = (body: unknown): void => {
  if (typeof body !== 'object' || body === null) return; // Refused for its shape.
  if (FIELDS.some((field) => Object.hasOwn(body, field)))
    throw new RuleViolation(
      'strict_contract_route_only',
      {},
      'a strict spawn is asked for at POST /v1/actions/spawn/strict-invoke, and nowhere else',
    );
};
