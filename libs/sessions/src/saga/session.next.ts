import { nothing, take, wait, type RunId, type Step } from '#kernel';
import type { SessionState } from '../domain/index.js';

export type SessionStep = { readonly kind: 'advance'; readonly released: RunId };

/**
 * The one step that a session needs now. `activeOver` must come from a leader read of the active run that was made
 * after the session was read, else a wake-up could be lost.
 */
export const nextSession = (
  session: SessionState,
  { activeOver }: { readonly activeOver: boolean },
): Step<SessionStep> => {
  if (session.queue.length === 0) return nothing;
  return activeOver
    ? take({ kind: 'advance', released: session.active })
    : wait(`run ${session.active}, which holds the session`);
};
