import type { ReactNode } from 'react';
import { Refused } from '../data/api.js';

/** What went wrong, in the server's words where it gave some. */
export const Trouble = ({ error }: { readonly error: unknown }): ReactNode => {
  if (error === null || error === undefined) return null;
  const code = error instanceof Refused ? error.problem.code : null;
  return (
    <p className="trouble" role="alert">
      {error instanceof Error ? error.message : String(error)}
      {code !== null && <code>{code}</code>}
    </p>
  );
};
