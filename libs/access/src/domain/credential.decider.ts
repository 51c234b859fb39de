import { RuleViolation, type Decider, type Instant, type PrincipalId } from '#kernel';
import type { Caller } from '../contract/index.js';

/** A token may be used. Only its SHA-256 is ever stored: it is the aggregate's id. */
export interface CredentialIssued {
  readonly type: 'CredentialIssued';
  readonly data: {
    readonly tokenHash: string;
    readonly caller: Caller;
    readonly issuedBy: PrincipalId;
    readonly at: Instant;
  };
}
export interface CredentialRevoked {
  readonly type: 'CredentialRevoked';
  readonly data: {
    readonly tokenHash: string;
    readonly revokedBy: PrincipalId;
    readonly at: Instant;
  };
}
export type CredentialEvent = CredentialIssued | CredentialRevoked;

export interface CredentialState {
  readonly tokenHash: string;
  readonly status: 'none' | 'valid' | 'revoked';
  readonly caller: Caller | null;
}
export interface IssueCredential {
  readonly type: 'IssueCredential';
  readonly tokenHash: string;
  readonly caller: Caller;
  readonly issuedBy: PrincipalId;
  readonly now: Instant;
}
export interface RevokeCredential {
  readonly type: 'RevokeCredential';
  readonly tokenHash: string;
  readonly revokedBy: PrincipalId;
  readonly now: Instant;
}
export type CredentialCommand = IssueCredential | RevokeCredential;

export const initialCredential = (tokenHash: string): CredentialState => ({
  tokenHash,
  status: 'none',
  caller: null,
});

export const evolveCredential = (
  credential: CredentialState,
  event: CredentialEvent,
): CredentialState => {
  switch (event.type) {
    case 'CredentialIssued':
      return { ...credential, status: 'valid', caller: event.data.caller };
    case 'CredentialRevoked':
      return { ...credential, status: 'revoked' };
  }
};

export const decideCredential = (
  command: CredentialCommand,
  credential: CredentialState,
): readonly CredentialEvent[] => {
  const { tokenHash, now: at } = command;
  switch (command.type) {
    case 'IssueCredential': {
      if (credential.status === 'revoked') throw new RuleViolation('credential_revoked');
      if (credential.status === 'valid') return [];
      const { caller, issuedBy } = command;
      return [{ type: 'CredentialIssued', data: { tokenHash, caller, issuedBy, at } }];
    }
    case 'RevokeCredential': {
      if (credential.status === 'none') throw new RuleViolation('credential_not_found');
      if (credential.status === 'revoked') return [];
      return [{ type: 'CredentialRevoked', data: { tokenHash, revokedBy: command.revokedBy, at } }];
    }
  }
};

export const CREDENTIAL: Decider<CredentialCommand, CredentialState, CredentialEvent> = {
  aggregate: 'credential',
  initialState: initialCredential,
  evolve: evolveCredential,
  decide: decideCredential,
};
