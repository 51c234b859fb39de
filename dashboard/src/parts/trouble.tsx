import type { ReactNode } from 'react';
import { Refused, isPassing } from '../data/api.js';

/** What went wrong, in the server's words where it gave some. */
export const Trouble = ({ error }: { readonly error: unknown }): ReactNode => {
  if (error === null || error === undefined) return null;
  const problem = error instanceof Refused ? error.problem : null;
  return (
    <div className="trouble" role="alert">
      <p>
        {error instanceof Error ? sentence(error.message) : 'Something went wrong.'}{' '}
        {problem !== null && <code>{problem.code}</code>}
      </p>
      {problem?.errors !== undefined && (
        <ul>
          {problem.errors.map(({ path, problem: what }) => (
            <li key={`${path} ${what}`}>
              <code>{path === '' ? 'body' : path}</code> {what}
            </li>
          ))}
        </ul>
      )}
      {problem !== null && problem.status >= 500 && (
        <p className="hint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
    </div>
  );
};

/** The same for what was to be read. What passes is said once, above the page, and what is shown meanwhile stays. */
export const ReadingTrouble = ({
  error,
  shown,
}: {
  readonly error: unknown;
  readonly shown: boolean;
}): ReactNode => (shown && isPassing(error) ? null : <Trouble error={error} />);

const sentence = (text: string): string => {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
};
