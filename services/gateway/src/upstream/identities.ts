import { Inject, Injectable } from '@nestjs/common';
import type { CallerView } from '#contracts';
import { tokenHash } from '#platform';
import type { Asker } from '../http/caller.js';
import { ServiceClient } from './service.client.js';

/** How long an answer is believed, ms: a revoked token stops being one within this time, plus what the services cache. */
export const IDENTITY_MAX_AGE_MS = 2_000;
/** How many tokens are remembered; the oldest is forgotten first. */
const REMEMBERED_MAX = 1_000;

/**
 * Who a token belongs to. Only streams need to know: the services verify the token of every request themselves, so that
 * accepting a command needs no other service than the one that accepts it.
 */
@Injectable()
export class Identities {
  private readonly known = new Map<
    string,
    { readonly askedAt: number; caller: Promise<CallerView> }
  >();

  constructor(@Inject(ServiceClient) private readonly services: ServiceClient) {}

  /** @throws Refusal or ServiceRefusal, never remembered. */
  async of(asker: Asker): Promise<CallerView> {
    const name = tokenHash(asker.token);
    const present = this.known.get(name);
    if (present && performance.now() - present.askedAt <= IDENTITY_MAX_AGE_MS)
      return present.caller;
    const caller = this.services.query<CallerView>('hf.qry.access.identify', asker, {});
    const entry = { askedAt: performance.now(), caller };
    this.remember(name, entry);
    try {
      return await caller;
    } catch (error) {
      if (this.known.get(name) === entry) this.known.delete(name);
      throw error;
    }
  }

  private remember(name: string, entry: { askedAt: number; caller: Promise<CallerView> }): void {
    this.known.delete(name);
    this.known.set(name, entry);
    const [oldest] = this.known.keys();
    if (this.known.size > REMEMBERED_MAX && oldest !== undefined) this.known.delete(oldest);
  }
}
