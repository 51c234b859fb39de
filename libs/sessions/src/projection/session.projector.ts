import type { WorkspaceId } from '#kernel';
import type { SessionEvent } from '../domain/index.js';
import type { SessionRow } from './session-view.row.js';

/** The row as it stands after one event. Pure and total: a recorded event is never rejected here. */
export const projectSession = (
  row: SessionRow | undefined,
  { type, data }: SessionEvent,
  { workspace, sequence }: { readonly workspace: WorkspaceId; readonly sequence: number },
): SessionRow | undefined => {
  const { sessionId, at: updatedAt } = data;
  // Before its first event a session belongs to the run that opened it, and has that run's id.
  const before = row ?? opened(sessionId);
  const here = { workspace, sessionId, updatedAt, sequence };
  switch (type) {
    case 'SessionRunQueued':
      return data.admitted
        ? { ...before, ...here, activeRunId: data.runId }
        : { ...before, ...here, queue: [...before.queue, data.runId] };
    case 'SessionAdvanced': {
      const queue = before.queue.filter((waiting) => waiting !== data.admitted);
      return { ...here, activeRunId: data.admitted, queue };
    }
  } // No default: a new event does not compile until it has its row.
};

const opened = (sessionId: string): Pick<SessionRow, 'activeRunId' | 'queue'> => ({
  activeRunId: sessionId,
  queue: [],
});
