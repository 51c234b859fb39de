import { describe, expect, it } from '@jest/globals';
import { AggregateStore } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import { RuleViolation } from '#kernel';
import { tokenHash } from '#platform';
import type { CredentialCommand } from '../domain/index.js';
import { CREDENTIAL_AGGREGATE, StoredAuthenticator, credentialKey } from './index.js';

const TOKEN = 'hf_a-token-of-this-test';
const HASH = tokenHash(TOKEN);
const ADA = { principal: 'user:ada', role: 'agent', workspace: 'main' } as const;

const world = () => {
  const events = new InMemoryEventStore(() => 1_000);
  const store = new AggregateStore(events);
  let nowMs = 0;
  let reads = 0;
  const authenticator = new StoredAuthenticator(
    {
      load: async (type, workspace, id, consistency) => {
        reads += 1;
        return store.load(type, workspace, id, consistency);
      },
    },
    () => nowMs,
  );
  const execute = async (command: CredentialCommand): Promise<void> => {
    await store.execute(CREDENTIAL_AGGREGATE, credentialKey(HASH), command, {
      commandId: command.type,
      metadata: { command: command.type, actor: 'test' },
    });
  };
  const ask = async (authorization: string | undefined): Promise<unknown> => {
    try {
      return await authenticator.authenticate(authorization);
    } catch (error) {
      if (error instanceof RuleViolation) return error.code;
      throw error;
    }
  };
  return {
    ask,
    issue: () =>
      execute({ type: 'IssueCredential', tokenHash: HASH, caller: ADA, issuedBy: 'x', now: 1 }),
    revoke: () => execute({ type: 'RevokeCredential', tokenHash: HASH, revokedBy: 'x', now: 2 }),
    pass: (ms: number) => {
      nowMs += ms;
    },
    reads: () => reads,
  };
};

describe('a bearer token', () => {
  it('tells who asks', async () => {
    const { ask, issue } = world();
    await issue();
    expect(await ask(`Bearer ${TOKEN}`)).toEqual(ADA);
    expect(await ask(`bearer ${TOKEN}`)).toEqual(ADA); // The scheme's case does not count.
  });

  it.each<[string, string | undefined]>([
    ['missing', undefined],
    ['empty', ''],
    ['of another scheme', `Basic ${TOKEN}`],
    ['without a scheme', TOKEN],
    ['with more behind it', `Bearer ${TOKEN} x`],
    ['of nobody', 'Bearer hf_of-nobody'],
    ['with characters that no token has', 'Bearer a,b'],
  ])('that is %s tells nobody', async (_what, authorization) => {
    const { ask, issue } = world();
    await issue();
    expect(await ask(authorization)).toBe('unauthenticated');
  });

  it('is looked up once in a while, and refused at the latest 5 s after it was revoked', async () => {
    const { ask, issue, revoke, pass, reads } = world();
    await issue();
    await ask(`Bearer ${TOKEN}`);
    const before = reads();
    await ask(`Bearer ${TOKEN}`);
    expect(reads()).toBe(before);
    await revoke();
    pass(5_000);
    expect(await ask(`Bearer ${TOKEN}`)).toBe('unauthenticated');
  });

  it('that is not known costs no read each time it is tried, and is taken a second after it was issued', async () => {
    const { ask, issue, pass, reads } = world();
    await ask(`Bearer ${TOKEN}`);
    const before = reads();
    await ask(`Bearer ${TOKEN}`);
    expect(reads()).toBe(before);
    await issue();
    pass(1_000);
    expect(await ask(`Bearer ${TOKEN}`)).toEqual(ADA);
  });
});
