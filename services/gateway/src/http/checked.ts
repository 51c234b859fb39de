import { accept, validate } from '#contracts/requests';

/**
 * What a caller sent, checked against its request class.
 *
 * @throws RuleViolation with every problem found, each with its path.
 */
export const checked = <T extends object>(requestClass: new () => T, raw: unknown): T =>
  accept(validate(requestClass, raw));
