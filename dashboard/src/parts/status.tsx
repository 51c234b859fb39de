import type { ReactNode } from 'react';
import { SIGNS, type RunStatus } from '../data/run-status.js';

/** A run's status, by word, sign and colour: none of the three alone. */
export const Status = ({ status }: { readonly status: RunStatus }): ReactNode => (
  <span className={`status is-${status}`}>
    <span aria-hidden="true">{SIGNS[status]}</span> {status}
  </span>
);
