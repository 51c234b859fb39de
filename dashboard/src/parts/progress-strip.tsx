import type { ReactNode } from 'react';
import type { Phase } from '../data/phases.js';
import { isOpen } from '../data/run-status.js';
import { Status } from './status.js';
import { Took } from './time.js';

/** What a run went through, as a strip: the longer it took, the wider, but none so narrow that it can't be read. */
export const ProgressStrip = ({ phases }: { readonly phases: readonly Phase[] }): ReactNode => (
  <ol className="strip" aria-label="Progress">
    {phases.map((phase, index) => (
      <li
        key={index}
        className={`fill-${phase.status}`}
        style={{ flexGrow: weightOf(phase) }}
        aria-current={index === phases.length - 1 ? 'step' : undefined}
      >
        <Status status={phase.status} />
        <span className="took">
          {isOpen(phase.status) ? (
            <Took from={phase.from} to={phase.to} />
          ) : (
            <time dateTime={new Date(phase.from).toISOString()}>
              {new Date(phase.from).toLocaleTimeString()}
            </time>
          )}
        </span>
      </li>
    ))}
  </ol>
);

/** Widths grow with the order of magnitude: a phase of an hour must not squeeze one of a second out of sight. */
const weightOf = ({ from, to, status }: Phase): number => {
  if (!isOpen(status)) return 0;
  if (to === null) return 3;
  return 1 + Math.log10(1 + (to - from) / 100);
};
