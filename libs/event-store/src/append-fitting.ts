import type { DomainEvent } from '#kernel';
import { CommitTooLarge } from './port/errors.js';
import type { AppendRequest, EventStore } from './port/event-store.js';

/**
 * Appends a commit with the snapshot that is due. That only saves reading: where it does not fit beside the events, they are
 * written without it, and the next commit tries again.
 *
 * @throws CommitTooLarge the events alone do not fit.
 */
export const appendFitting = async <Event extends DomainEvent>(
  store: EventStore,
  commit: AppendRequest<Event>,
  due: Pick<AppendRequest<Event>, 'snapshot'>,
): ReturnType<EventStore['append']> => {
  try {
    return await store.append({ ...commit, ...due });
  } catch (error) {
    if (!(error instanceof CommitTooLarge) || !('snapshot' in due)) throw error;
    return store.append(commit);
  }
};
