import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TokenAnswer } from '#contracts';
import { AGGREGATE_STORE, type AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import { CLOCK, RuleViolation, type Clock } from '#kernel';
import { WORKSPACE_KEYS, idOf, tokenFor, tokenHash, type WorkspaceKeys } from '#platform';
import { CREDENTIAL_AGGREGATE, credentialKey } from '../authenticator/index.js';
import type { Caller } from '../contract/index.js';
import { IssueToken } from './tokens.commands.js';

/** Whose operators may let others into any workspace: the installation's own. */
const ADMINISTRATIVE_WORKSPACE = 'main';

@CommandHandler(IssueToken)
export class IssueTokenHandler implements ICommandHandler<IssueToken> {
  constructor(
    @Inject(AGGREGATE_STORE) private readonly store: AggregateStore,
    @Inject(WORKSPACE_KEYS) private readonly keys: WorkspaceKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RuleViolation `forbidden`, `idempotency_conflict`, `credential_revoked`. */
  async execute({ caller: issuer, key, request, trace }: IssueToken): Promise<TokenAnswer> {
    const { principal, role, workspace = issuer.workspace } = request;
    if (workspace !== issuer.workspace && issuer.workspace !== ADMINISTRATIVE_WORKSPACE)
      throw new RuleViolation(
        'forbidden',
        { workspace },
        'operators may let others into their own workspace only',
      );
    // Made of the key, so that a repeat is told the same token, though nobody keeps it.
    const id = idOf(issuer.workspace, issuer.principal, 'issue-token', key);
    const token = tokenFor(this.keys, issuer.workspace, id);
    const hash = tokenHash(token);
    const caller: Caller = { principal, role, workspace };
    const issued = await this.store.execute(
      CREDENTIAL_AGGREGATE,
      credentialKey(hash),
      {
        type: 'IssueCredential',
        tokenHash: hash,
        caller,
        issuedBy: issuer.principal,
        now: this.clock.now(),
      },
      {
        commandId: `issue/${id}`,
        metadata: metadataOf('IssueCredential', { actor: issuer.principal, ...trace }),
        expectNew: true,
      },
    );
    const { state } = issued.loaded;
    if (state.status === 'revoked') throw new RuleViolation('credential_revoked');
    if (state.caller === null || !sameCaller(state.caller, caller))
      throw new RuleViolation('idempotency_conflict');
    return {
      value: { token, tokenHash: hash, ...caller },
      replayed: issued.repeated || issued.events.length === 0,
    };
  }
}

const sameCaller = (one: Caller, other: Caller): boolean =>
  one.principal === other.principal && one.role === other.role && one.workspace === other.workspace;
