import type { AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import type { Clock } from '#kernel';
import { tokenHash } from '#platform';
import { CREDENTIAL_AGGREGATE, credentialKey } from '../authenticator/index.js';
import { ROLES, type Caller, type Role } from '../contract/index.js';

/** A token that whoever set the installation up has made: there is nobody yet who could issue one. */
export interface BootstrapToken {
  readonly token: string;
  readonly caller: Caller;
}

/** How many may be given; more belong into `issue-token`. */
const TOKENS_MAX = 100;

/**
 * Reads `[{"token": …, "principal": …, "role": …, "workspace": …}]`; the workspace is `main` when left out.
 *
 * @throws Error says what is wrong, never what was given.
 */
export const parseBootstrapTokens = (text: string | undefined): readonly BootstrapToken[] => {
  if (text === undefined || text.trim() === '') return [];
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new Error('is not JSON', { cause });
  }
  if (!Array.isArray(list) || list.length > TOKENS_MAX)
    throw new Error(`is not a list of at most ${String(TOKENS_MAX)} tokens`);
  return list.map((item, index) => bootstrapToken(item, index));
};

const bootstrapToken = (item: unknown, index: number): BootstrapToken => {
  const given = (typeof item === 'object' ? item : null) as Readonly<
    Record<string, unknown>
  > | null;
  const { token, principal, role, workspace = 'main' } = given ?? {};
  const text = (value: unknown, pattern: RegExp): value is string =>
    typeof value === 'string' && pattern.test(value);
  if (
    !text(token, /^[A-Za-z0-9._~+/-]{16,512}$/) ||
    !text(principal, /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}$/) ||
    !text(workspace, /^(?!_)[A-Za-z0-9_-]{1,64}$/) ||
    !ROLES.some((one) => one === role)
  )
    throw new Error(
      `entry ${String(index)} needs a token of 16 characters or more, a principal and a role`,
    );
  return { token, caller: { principal, role: role as Role, workspace } };
};

/** Makes the tokens valid, unless they are already, or were revoked since. Safe to repeat, and by several at once. */
export const issueBootstrapTokens = async (
  store: AggregateStore,
  tokens: readonly BootstrapToken[],
  clock: Clock,
): Promise<void> => {
  for (const { token, caller } of tokens) {
    const hash = tokenHash(token);
    const { workspace, id } = credentialKey(hash);
    const { state } = await store.load(CREDENTIAL_AGGREGATE, workspace, id, 'leader');
    if (state.status !== 'none') continue;
    await store.execute(
      CREDENTIAL_AGGREGATE,
      { workspace, id },
      {
        type: 'IssueCredential',
        tokenHash: hash,
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
