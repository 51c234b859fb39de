import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ChangeView } from '../../../libs/contracts/src/views.js';
import { isUnauthenticated, Refused } from './api.js';
import { KEYS } from './keys.js';
import { pauseBefore } from './patience.js';
import { readAgainAfter } from './read-again.js';
import { Refresher } from './refresher.js';
import { useSession } from './session.js';
import { useVisible } from './visible.js';

/** How the page stands to the server: what is shown may be old while it is not `live`. */
export interface Liveness {
  readonly state: 'connecting' | 'live' | 'lost';
  /** Why not, when the server gave a reason. */
  readonly reason: string | null;
}

/** The shortest time between two readings of what is shown, ms: more than people can follow, little for a server. */
const PACE_MS = 400;
/** The same of the run counts, ms: they take longer to read. */
const COUNTS_PACE_MS = 3_000;

const CONNECTING: Liveness = { state: 'connecting', reason: null };
const LIVE: Liveness = { state: 'live', reason: null };

/** Follows the server's changes, and makes what is shown read itself again. Resumes where it was after a break. */
export const useLiveUpdates = (): Liveness => {
  const { api, expire } = useSession();
  const queries = useQueryClient();
  const isVisible = useVisible();
  const [liveness, setLiveness] = useState(CONNECTING);
  useEffect(() => {
    if (!isVisible) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const shown = new Refresher(queries, PACE_MS);
    const counts = new Refresher(queries, COUNTS_PACE_MS);
    void follow();
    return () => leaving.abort();

    async function follow(): Promise<void> {
      let after: string | null = null;
      let failures = 0;
      const onOpen = (): void => {
        failures = 0;
        setLiveness(LIVE);
        shown.ask(KEYS.everything); // It may have changed before the stream was open.
      };
      while (!signal.aborted) {
        let reason: string | null = null;
        try {
          for await (const event of api.events('/changes', { after, signal, onOpen })) {
            if (event.id !== null) after = event.id;
            if (event.type === 'change')
              readAgainAfter(JSON.parse(event.data) as ChangeView, { shown, counts });
            // The server no longer knows what was missed, or never did.
            if (event.type === 'gap') shown.ask(KEYS.everything);
          }
        } catch (error) {
          if (isUnauthenticated(error)) {
            expire();
            return;
          }
          reason = error instanceof Refused ? error.message : null;
        }
        if (signal.aborted) return;
        setLiveness({ state: 'lost', reason });
        await pauseBefore(failures++, signal);
      }
    }
  }, [api, expire, queries, isVisible]);
  return liveness;
};
