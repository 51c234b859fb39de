import { hash } from 'node:crypto';
import type { DomainEvent } from '#kernel';
import { CommitTooLarge, InvalidCommit, StreamDiverged } from './port/errors.js';
import type { AppendRequest } from './port/event-store.js';
import { eventSubject } from './ref.js';

/** The largest body of a commit, in bytes. The protocol's bound: below the broker's 1 MiB, with room for headers. */
export const COMMIT_BYTES_MAX = 768 * 1024;

/** A commit's body as it is stored: a JSON array of events, or with a snapshot `{events, snapshot}`. */
export interface CommitBody {
  readonly bytes: Uint8Array;
  /** SHA-256 of `bytes`, hex. */
  readonly hash: string;
  readonly carriesSnapshot: boolean;
}

/**
 * @throws InvalidCommit no events, no command id, or a part of the reference can't stand in a subject.
 * @throws CommitTooLarge the body has more than {@link COMMIT_BYTES_MAX} bytes.
 */
export const encodeBody = (request: AppendRequest<DomainEvent>): CommitBody => {
  const subject = eventSubject(request.ref);
  if (request.events.length === 0) throw new InvalidCommit(`a commit on ${subject} has no events`);
  if (!isCommandId(request.commandId))
    throw new InvalidCommit(`a commit on ${subject} needs a command id of 1 to 255 characters`);
  const carriesSnapshot = request.snapshot !== undefined;
  const bytes = new TextEncoder().encode(
    JSON.stringify(
      carriesSnapshot ? { events: request.events, snapshot: request.snapshot } : request.events,
    ),
  );
  if (bytes.length > COMMIT_BYTES_MAX)
    throw new CommitTooLarge(subject, bytes.length, COMMIT_BYTES_MAX);
  return { bytes, hash: hashOf(bytes), carriesSnapshot };
};

/** Unpaired surrogates have no UTF-8 form: two different ids would become one. */
const isCommandId = (id: string): boolean =>
  typeof id === 'string' && id.length > 0 && id.length <= 255 && !/\p{Surrogate}/u.test(id);

export const hashOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws StreamDiverged the body is not what its writer hashed. */
export const decodeBody = (
  bytes: Uint8Array,
  expectedHash: string,
  carriesSnapshot: boolean,
): { readonly events: readonly DomainEvent[]; readonly snapshot?: unknown } => {
  if (hashOf(bytes) !== expectedHash)
    throw new StreamDiverged(`a commit's body does not match its hash ${expectedHash}`);
  const parsed: unknown = JSON.parse(utf8.decode(bytes));
  if (!carriesSnapshot) return { events: parsed as DomainEvent[] };
  return parsed as { readonly events: readonly DomainEvent[]; readonly snapshot: unknown };
};
