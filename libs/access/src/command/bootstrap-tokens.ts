import { readFile } from 'node:fs/promises';
import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import type { Clock } from '#kernel';
import { CREDENTIAL_AGGREGATE, credentialKey } from '../authenticator/index.js';
import { ROLES, type Caller } from '../contract/index.js';

/** A token that whoever set the installation up has made: there is nobody yet who could issue one. */
export interface BootstrapToken {
  /** SHA-256 of the token, hex. The token itself is told to nobody. */
  readonly tokenHash: string;
  readonly caller: Caller;
}

/** How many may be given; more belong into `issue-token`. */
const TOKENS_MAX = 100;

/** The file of bootstrap tokens can't be used. Says what is wrong, never what was given. */
export class InvalidBootstrapTokens extends Error {
  override readonly name = 'InvalidBootstrapTokens';
  readonly code = 'access.invalid_bootstrap_tokens';
}

/**
 * Reads a file with `[{"tokenHash": …, "principal": …, "role": …, "workspace": …}]`.
 *
 * @param path none = no tokens.
 * @throws InvalidBootstrapTokens
 */
export const readBootstrapTokens = async (
  path: string | undefined,
): Promise<readonly BootstrapToken[]> =>
  path === undefined ? [] : parseBootstrapTokens(await readFile(path, 'utf8'));

/** @throws InvalidBootstrapTokens */
export const parseBootstrapTokens = (text: string): readonly BootstrapToken[] => {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new InvalidBootstrapTokens('the bootstrap tokens are not JSON', { cause });
  }
  if (!Array.isArray(list) || list.length > TOKENS_MAX)
    throw new InvalidBootstrapTokens(
      `the bootstrap tokens are not a list of at most ${String(TOKENS_MAX)}`,
    );
  return list.map((item, index) => bootstrapToken(item, index));
};

const bootstrapToken = (item: unknown, index: number): BootstrapToken => {
  const given = (typeof item === 'object' ? item : null) as Readonly<
    Record<string, unknown>
  > | null;
  const { tokenHash, principal, role, workspace } = given ?? {};
  const known = ROLES.find((one) => one === role);
  if (
    !matches(tokenHash, /^[0-9a-f]{64}$/) ||
    !matches(principal, /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}$/) ||
    !matches(workspace, /^(?!_)[A-Za-z0-9_-]{1,64}$/) ||
    known === undefined
  )
    throw new InvalidBootstrapTokens(
      `bootstrap token ${String(index)} needs tokenHash, principal, role and workspace`,
    );
  return { tokenHash, caller: { principal, role: known, workspace } };
};

const matches = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

/** Makes the tokens valid, unless they are already, or were revoked since. Safe to repeat, and by several at once. */
export const issueBootstrapTokens = async (
  store: AggregateStore,
  tokens: readonly BootstrapToken[],
  clock: Clock,
): Promise<void> => {
  for (const { tokenHash, caller } of tokens) {
    const { workspace, id } = credentialKey(tokenHash);
    const { state } = await store.load(CREDENTIAL_AGGREGATE, workspace, id, 'leader');
    if (state.status !== 'none') continue;
    await store.execute(
      CREDENTIAL_AGGREGATE,
      { workspace, id },
      {
        type: 'IssueCredential',
        tokenHash,
        caller,
        issuedBy: 'service:commands',
        now: clock.now(),
      },
      {
        commandId: 'bootstrap',
        metadata: metadataOf('IssueCredential', { actor: 'service:commands' }),
        consistency: 'leader',
      },
    );
  }
};
