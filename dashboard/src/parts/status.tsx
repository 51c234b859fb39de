import type { ReactNode } from 'react';
import type { RunView } from '../../../libs/contracts/src/views.js';

const SIGNS: Readonly<Record<RunView['status'], string>> = {
  queued: '○',
  dispatched: '◔',
  running: '▶',
  stopping: '◼',
  unknown: '?',
  completed: '✓',
  failed: '✕',
  stopped: '■',
  abandoned: '–',
};

/** A run's status, by word, sign and colour: none of the three alone. */
export const Status = ({ status }: { readonly status: RunView['status'] }): ReactNode => (
  <span className={`status ${status}`}>
    <span aria-hidden="true">{SIGNS[status]}</span> {status}
  </span>
);
