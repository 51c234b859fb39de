import type { ReactNode } from 'react';
import { useCaller } from '../data/queries.js';

/** Why something is not offered. */
export const MayNot = ({
  doing,
  takes,
}: {
  /** As the beginning of a sentence: `Submitting`. */
  readonly doing: string;
  readonly takes: string;
}): ReactNode => {
  const caller = useCaller();
  return (
    <p className="hint may-not">
      {doing} takes {takes}. You are signed in as <b>{caller?.role}</b>.
    </p>
  );
};
