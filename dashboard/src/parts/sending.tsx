import type { ReactNode } from 'react';
import type { Command } from '../data/command.js';

/** That a command is on its way: it can take a while when an answer was lost. */
export const Sending = ({ command }: { readonly command: Command }): ReactNode => (
  <p className="hint" role="status">
    {wordsOf(command)}
  </p>
);

const wordsOf = ({ isSending, isSendingAgain }: Command): string | null => {
  if (isSendingAgain) return 'No answer came. Asking again, under the same key: it happens once.';
  return isSending ? 'Sending…' : null;
};
