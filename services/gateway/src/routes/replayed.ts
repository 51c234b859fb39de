import type { Answered } from '#contracts';
import type { FastifyReply } from 'fastify';

/** Shows a repeat in a header, so that its body is the same as the first one's. */
export const valueOf = <View>(reply: FastifyReply, { value, replayed }: Answered<View>): View => {
  if (replayed) void reply.header('idempotency-replayed', 'true');
  return value;
};
