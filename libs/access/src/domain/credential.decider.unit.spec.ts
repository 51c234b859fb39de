import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import { ROLES, mayDo, type Permission } from '../contract/index.js';
import { CREDENTIAL, type CredentialCommand, type CredentialEvent } from './credential.decider.js';

const tokenHash = 'ab'.repeat(32);
const caller = { principal: 'principal-1', role: 'agent', workspace: 'main' } as const;
const issue: CredentialCommand = {
  type: 'IssueCredential',
  tokenHash,
  caller,
  issuedBy: 'operator-1',
  now: 1_000,
};
const revoke: CredentialCommand = {
  type: 'RevokeCredential',
  tokenHash,
  revokedBy: 'operator-1',
  now: 2_000,
};
const issued: CredentialEvent = {
  type: 'CredentialIssued',
  data: { tokenHash, caller, issuedBy: 'operator-1', at: 1_000 },
};
const revoked: CredentialEvent = {
  type: 'CredentialRevoked',
  data: { tokenHash, revokedBy: 'operator-1', at: 2_000 },
};
const given = deciderSpec(CREDENTIAL, tokenHash);

describe('a token', () => {
  it('is valid once it is issued', () => given([]).when(issue).then([issued]));

  it('is issued once', () => given([issued]).when(issue).then([]));

  it('can be revoked', () => given([issued]).when(revoke).then([revoked]));

  it('is revoked once', () => given([issued, revoked]).when(revoke).then([]));

  it('never becomes valid again', () =>
    given([issued, revoked]).when(issue).thenRefuses('credential_revoked'));

  it('that nobody issued can not be revoked', () =>
    given([]).when(revoke).thenRefuses('credential_not_found'));
});

describe('a role', () => {
  const permissions: readonly Permission[] = ['read', 'submit', 'stop', 'resolve', 'administer'];

  it('may do what is written here, and no more', () => {
    expect(
      ROLES.map((role) => [role, permissions.filter((permission) => mayDo(role, permission))]),
    ).toStrictEqual([
      ['operator', ['read', 'submit', 'stop', 'resolve', 'administer']],
      ['agent', ['read', 'submit', 'stop']],
      ['viewer', ['read']],
    ]);
  });
});
