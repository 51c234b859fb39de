import type { Answered } from '#contracts';
import type { FastifyReply } from 'fastify';
import type { Asker } from '../http/caller.js';
import type { ServiceClient } from '../upstream/service.client.js';

/** Shows a repeat in a header, so that its body is the same as the first one's. */
export const valueOf = <View>(reply: FastifyReply, { value, replayed }: Answered<View>): View => {
  if (replayed) void reply.header('idempotency-replayed', 'true');
  return value;
};

/** A command to one of the services behind, and who gives it under which key. */
export interface KeyedCommand {
  readonly subject: string;
  readonly asker: Asker;
  readonly key: string;
  readonly body: unknown;
}

/** Hands a command on, as it was sent, and answers what it did. */
export const commanded = async (
  services: ServiceClient,
  { subject, asker, key, body }: KeyedCommand,
  reply: FastifyReply,
): Promise<object> =>
  valueOf(reply, await services.command<Answered<object>>(subject, asker, key, body));
