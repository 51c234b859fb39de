import type { AggregateStore } from '#event-store';
import { RuleViolation } from '#kernel';
import { ExpiringCache, tokenHash } from '#platform';
import type { Authenticator, Caller } from '../contract/index.js';
import { CREDENTIAL_AGGREGATE, credentialKey } from './credential.aggregate.js';

/**
 * How long a token that was found valid is taken for valid, ms; so late a revocation may take effect. Source: 200
 * callers at 10 requests a second then cost 40 reads a second instead of 2,000.
 */
export const VALID_FOR_MS = 5_000;
/** How long a token that was not found is refused unread, ms: guessing must not become reading. */
const INVALID_FOR_MS = 1_000;
/** Callers that are known at a time. About 200 bytes each. */
const CALLERS_MAX = 10_000;

/** `Bearer`, one space, and a token as RFC 6750 allows it. */
const BEARER = /^Bearer ([A-Za-z0-9._~+/-]{1,512}=*)$/i;

/** Finds callers by the hash of their token, in the stream; what it found it keeps for a few seconds. */
export class StoredAuthenticator implements Authenticator {
  private readonly valid: ExpiringCache<Caller>;
  private readonly invalid: ExpiringCache<true>;

  /** @param nowMs a clock that never goes back. */
  constructor(
    private readonly store: Pick<AggregateStore, 'load'>,
    nowMs: () => number,
  ) {
    this.valid = new ExpiringCache(CALLERS_MAX, VALID_FOR_MS, nowMs);
    this.invalid = new ExpiringCache(CALLERS_MAX, INVALID_FOR_MS, nowMs);
  }

  async authenticate(authorization: string | undefined): Promise<Caller> {
    if (authorization === undefined) throw unauthenticated('a bearer token is needed');
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) throw unauthenticated('the authorization is not a bearer token');
    const hash = tokenHash(token);
    const known = this.valid.get(hash);
    if (known !== undefined) return known;
    if (this.invalid.get(hash) === true) throw unauthenticated('the token is not valid');
    const caller = await this.find(hash);
    if (caller === null) {
      this.invalid.set(hash, true);
      throw unauthenticated('the token is not valid');
    }
    this.valid.set(hash, caller);
    return caller;
  }

  /** What a token was found to be is forgotten: it has just been issued, or revoked, by this process. */
  forget(hash: string): void {
    this.valid.delete(hash);
    this.invalid.delete(hash);
  }

  private async find(hash: string): Promise<Caller | null> {
    const { workspace, id } = credentialKey(hash);
    const near = await this.store.load(CREDENTIAL_AGGREGATE, workspace, id);
    // A replica that lags may not know a token that was just issued.
    const { state } =
      near.state.status === 'none'
        ? await this.store.load(CREDENTIAL_AGGREGATE, workspace, id, 'leader')
        : near;
    return state.status === 'valid' ? state.caller : null;
  }
}

const unauthenticated = (why: string): RuleViolation =>
  new RuleViolation('unauthenticated', {}, why);
