import type { ReactNode } from 'react';
import { standingOf, type SpawnView } from '../data/spawn-status.js';

/** How a spawn stands, by word, sign and colour: none of the three alone. */
export const SpawnStanding = ({
  spawn,
}: {
  readonly spawn: Pick<SpawnView, 'status' | 'code'>;
}): ReactNode => {
  const { word, sign, colour } = standingOf(spawn);
  return (
    <span className={`status is-${colour}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
};
