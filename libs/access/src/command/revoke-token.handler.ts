import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RevocationAnswer } from '#contracts';
import { AGGREGATE_STORE, type AggregateStore } from '#event-store';
import { metadataOf } from '#hosting';
import { CLOCK, RuleViolation, type Clock } from '#kernel';
import { CREDENTIAL_AGGREGATE, credentialKey } from '../authenticator/index.js';
import type { Caller } from '../contract/index.js';
import type { CredentialCommand, CredentialState } from '../domain/index.js';
import { RevokeToken } from './tokens.commands.js';

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(
    @Inject(AGGREGATE_STORE) private readonly store: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RuleViolation `credential_not_found`, also for a token of another workspace. */
  async execute({ caller, request, trace }: RevokeToken): Promise<RevocationAnswer> {
    const { tokenHash } = request;
    const revoked = await this.store.execute(
      CREDENTIAL_AGGREGATE,
      credentialKey(tokenHash),
      (state): CredentialCommand => {
        if (!isWithin(state, caller)) throw new RuleViolation('credential_not_found');
        return {
          type: 'RevokeCredential',
          tokenHash,
          revokedBy: caller.principal,
          now: this.clock.now(),
        };
      },
      {
        // A token is revoked once: whoever asks, and under whichever key, it is the same command.
        commandId: 'revoke',
        metadata: metadataOf('RevokeCredential', { actor: caller.principal, ...trace }),
      },
    );
    return {
      value: { tokenHash },
      replayed: revoked.repeated || revoked.events.length === 0,
    };
  }
}

/** Its own workspace's tokens, or any for the installation's operators, who may issue them too. */
const isWithin = (credential: CredentialState, caller: Caller): boolean =>
  caller.workspace === 'main' || credential.caller?.workspace === caller.workspace;
