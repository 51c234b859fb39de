import type { AggregateKey, AggregateType } from '#event-store';
import {
  CREDENTIAL,
  type CredentialCommand,
  type CredentialEvent,
  type CredentialState,
} from '../domain/index.js';

export const CREDENTIAL_AGGREGATE: AggregateType<
  CredentialCommand,
  CredentialState,
  CredentialEvent
> = { decider: CREDENTIAL };

/** Credentials belong to no workspace: whoever holds a token need not say which. */
export const credentialKey = (tokenHash: string): AggregateKey => ({
  workspace: '_',
  id: tokenHash,
});
