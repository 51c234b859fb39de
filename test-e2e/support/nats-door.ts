import type { SubmissionView } from '#contracts';
import { RequestClient, type Answer, type NatsLink } from '#nats';

/** What `commands` answers to a submission. */
export interface Submitted {
  readonly value: SubmissionView;
  readonly replayed: boolean;
}

/** Submits once over NATS, as the gateway does. */
export const submitOverNats = (
  door: NatsLink,
  body: { readonly agent: string; readonly prompt: string },
  as: { readonly token: string; readonly key: string },
  timeoutMs: number,
): Promise<Answer<Submitted>> => {
  const headers = { authorization: `Bearer ${as.token}`, 'idempotency-key': as.key };
  return new RequestClient(door).request<Submitted>('hf.cmd.runs.submit', body, {
    headers,
    timeoutMs,
  });
};
