import { JetStreamApiError, jetstream, type JetStreamClient } from '@nats-io/jetstream';
import {
  ClosedConnectionError,
  InvalidArgumentError,
  NoRespondersError,
  PermissionViolationError,
  RequestError,
  TimeoutError,
  type MsgHdrs,
} from '@nats-io/transport-node';
import type { NatsLink } from './connection.js';

/** What is known after one publish. */
export type PublishAnswer =
  | { readonly kind: 'written'; readonly sequence: number }
  /** The message id is within the duplicate window: it, or another message with its id, stands at `sequence`. */
  | { readonly kind: 'duplicate'; readonly sequence: number }
  /** The expected sequence is not the subject's last. `own` = it may be this very message that is last. */
  | { readonly kind: 'wrong-sequence'; readonly own: boolean; readonly cause: unknown }
  /** Certainly not written, and the reason passes. */
  | { readonly kind: 'later'; readonly cause: unknown }
  /** No answer: it may have been written. */
  | { readonly kind: 'silence'; readonly cause: unknown }
  /** Certainly not written, and the same message never will be. */
  | { readonly kind: 'refused'; readonly cause: unknown };

/** The broker's error codes that this library acts on. Source: nats-server's errors.json. */
const CODE = {
  noPeers: 10005,
  clusterNotAvailable: 10008,
  notLeader: 10009,
  insufficientResources: 10023,
  notEnabledForAccount: 10039,
  wrongLastSequence: 10071,
  notEnabled: 10076,
  storeFailed: 10077,
  duplicateInProcess: 10158,
  lastSequenceNotReady: 10163,
  wrongLastSequenceUnknown: 10164,
} as const;

const PASSING: ReadonlySet<number> = new Set([
  CODE.noPeers,
  CODE.clusterNotAvailable,
  CODE.notLeader,
  CODE.insufficientResources,
  CODE.notEnabledForAccount,
  CODE.notEnabled,
  CODE.duplicateInProcess,
  CODE.lastSequenceNotReady,
]);

/** Whether an error of the broker or the connection says "not now" rather than "no". */
export const isPassing = (error: unknown): boolean => {
  if (error instanceof JetStreamApiError) return PASSING.has(error.code) || error.status === 503;
  return isSilence(error) || isNotDelivered(error);
};

/** Nobody listened: while a stream has no leader, or JetStream has not started. */
export const isNotDelivered = (error: unknown): boolean =>
  hasInChain(
    error,
    (one) =>
      one instanceof NoRespondersError || (one instanceof RequestError && one.isNoResponders()),
  );

const isRefused = (error: unknown): boolean =>
  hasInChain(
    error,
    (one) => one instanceof PermissionViolationError || one instanceof InvalidArgumentError,
  );

const isSilence = (error: unknown): boolean =>
  !isRefused(error) &&
  hasInChain(
    error,
    (one) =>
      one instanceof TimeoutError ||
      one instanceof ClosedConnectionError ||
      one instanceof RequestError ||
      one instanceof Interrupted,
  );

/** The connection broke while an answer was awaited: it will not come any more. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Publishes one message and waits for what the broker says. Never throws for what the broker or the network did. */
export class AnsweredPublisher {
  private readonly client: JetStreamClient;

  constructor(private readonly link: NatsLink) {
    this.client = jetstream(link.connection);
  }

  /** @param timeoutMs how long to wait for the acknowledgement. */
  async publish(
    subject: string,
    data: Uint8Array,
    headers: MsgHdrs,
    timeoutMs: number,
  ): Promise<PublishAnswer> {
    let forget: () => void = () => undefined;
    const interrupted = new Promise<never>((_resolve, reject) => {
      forget = this.link.onDisconnect(() => reject(new Interrupted('the connection broke')));
    });
    try {
      const ack = await Promise.race([
        this.client.publish(subject, data, { headers, timeout: timeoutMs }),
        interrupted,
      ]);
      return { kind: ack.duplicate ? 'duplicate' : 'written', sequence: ack.seq };
    } catch (cause) {
      return classify(cause);
    } finally {
      forget();
    }
  }
}

const classify = (cause: unknown): PublishAnswer => {
  if (cause instanceof JetStreamApiError) {
    if (cause.code === CODE.wrongLastSequence) return { kind: 'wrong-sequence', own: true, cause };
    if (cause.code === CODE.wrongLastSequenceUnknown)
      return { kind: 'wrong-sequence', own: false, cause };
    if (cause.code === CODE.storeFailed) return { kind: 'silence', cause }; // A half-done disk write may survive.
    return isPassing(cause) ? { kind: 'later', cause } : { kind: 'refused', cause };
  }
  if (isNotDelivered(cause)) return { kind: 'later', cause };
  if (isRefused(cause)) return { kind: 'refused', cause };
  return { kind: 'silence', cause };
};

const hasInChain = (error: unknown, matches: (one: unknown) => boolean): boolean => {
  for (let one = error, depth = 0; one !== undefined && depth < 5; depth += 1) {
    if (matches(one)) return true;
    one = one instanceof Error ? one.cause : undefined;
  }
  return false;
};
