import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ChangeView } from '../../../libs/contracts/src/views.js';
import { useSession } from './session.js';

/** How the page stands to the server: what is shown may be old while it is not `live`. */
export type Liveness = 'connecting' | 'live' | 'lost';

const RECONNECT_MS = 1_000;

/** Follows the server's changes, and makes what is shown read itself again. Resumes where it was after a break. */
export const useLiveUpdates = (): Liveness => {
  const { api } = useSession();
  const queries = useQueryClient();
  const [liveness, setLiveness] = useState<Liveness>('connecting');
  useEffect(() => {
    const abort = new AbortController();
    void follow(abort.signal);
    return () => {
      abort.abort();
    };

    async function follow(signal: AbortSignal): Promise<void> {
      let last: string | null = null;
      while (!signal.aborted) {
        try {
          for await (const event of api.events('/changes', last, signal)) {
            setLiveness('live');
            if (event.id !== null) last = event.id;
            if (event.type === 'change') refresh(JSON.parse(event.data) as ChangeView);
          }
        } catch {
          // Shown as lost, and tried again: what was missed is caught up by the last event's id.
        }
        if (signal.aborted) return;
        setLiveness('lost');
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
        void queries.invalidateQueries();
      }
    }

    function refresh(change: ChangeView): void {
      void queries.invalidateQueries({ queryKey: [`${change.kind}s`] });
      void queries.invalidateQueries({ queryKey: [change.kind, change.id] });
      if (change.kind === 'run') void queries.invalidateQueries({ queryKey: ['unknowns'] });
    }
  }, [api, queries]);
  return liveness;
};
