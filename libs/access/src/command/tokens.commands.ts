import { Command } from '@nestjs/cqrs';
import type { RevocationAnswer, TokenAnswer } from '#contracts';
import type { RevokeTokenRequest, TokenRequest } from '#contracts/requests';
import type { Trace } from '#hosting';
import type { Caller } from '../contract/index.js';

/** A caller wants a new bearer token for a principal. */
export class IssueToken extends Command<TokenAnswer> {
  constructor(
    readonly caller: Caller,
    readonly key: string,
    readonly request: TokenRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}

/** A caller wants a token to be valid no longer. */
export class RevokeToken extends Command<RevocationAnswer> {
  constructor(
    readonly caller: Caller,
    readonly request: RevokeTokenRequest,
    readonly trace: Trace,
  ) {
    super();
  }
}
