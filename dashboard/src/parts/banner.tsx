import type { ReactNode } from 'react';
import { Refused } from '../data/api.js';
import type { Liveness } from '../data/live.js';
import { useLagMs } from '../data/queries.js';
import { useReadingTrouble } from '../data/reading-trouble.js';
import { duration } from '../data/words.js';

/** From here on a person would notice, ms. Read models are a tenth of a second behind in the normal course. */
const LAG_SHOWN_MS = 2_000;

const MAY_BE_OLD = 'What you see may be old. Trying again…';

/** Says when what is on the page may be old, and why. */
export const Banner = ({ liveness }: { readonly liveness: Liveness }): ReactNode => {
  const trouble = useReadingTrouble();
  const lagMs = useLagMs();
  return (
    <div role="status">
      <Warning>{warningOf(liveness, trouble, lagMs)}</Warning>
    </div>
  );
};

const Warning = ({ children }: { readonly children: string | null }): ReactNode =>
  children !== null && <p className="banner">{children}</p>;

const warningOf = (liveness: Liveness, trouble: unknown, lagMs: number): string | null => {
  const reason = liveness.reason ?? (trouble instanceof Refused ? trouble.message : null);
  if (reason !== null) return `The server can not answer: ${reason}. ${MAY_BE_OLD}`;
  if (liveness.state === 'lost' || trouble !== null) return `Connection lost. ${MAY_BE_OLD}`;
  if (lagMs >= LAG_SHOWN_MS)
    return `The lists are ${duration(lagMs)} behind what has happened. A run’s timeline is not.`;
  return null;
};
