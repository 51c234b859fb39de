import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useRef } from 'react';
import { Refused, Unreachable } from './api.js';
import { newKey } from './new-key.js';
import { useSession } from './session.js';

/** A command to the server: what it is sent, and what then has to be read again. */
export interface CommandOptions<Answer> {
  readonly path: string;
  readonly refreshes: readonly QueryKey[];
  readonly onDone?: (answer: Answer) => void;
  /** The one key that this command goes under, whatever it says; else each content has one of its own. */
  readonly key?: string;
}

export interface Command {
  /** Sends it; the same content again is the same command, until it was answered. */
  readonly send: (body: object) => void;
  readonly isSending: boolean;
  /** It is being sent again, under the same key, because an answer did not come. */
  readonly isSendingAgain: boolean;
  readonly error: unknown;
}

/**
 * Sends a command under a key of its own. One key for one intent: pressing the button again after a lost answer can't
 * make it happen twice, and other content is another intent.
 */
export const useCommand = <Answer>(options: CommandOptions<Answer>): Command => {
  const { path, refreshes, onDone, key } = options;
  const { api } = useSession();
  const queries = useQueryClient();
  const intent = useRef({ text: '', key: '' });
  const sending = useMutation({
    mutationFn: (body: object) => {
      const text = JSON.stringify(body);
      if (intent.current.text !== text) intent.current = { text, key: key ?? newKey() };
      return api.post<Answer>(path, body, intent.current.key);
    },
    onSuccess: (answer) => {
      intent.current = { text: '', key: '' };
      onDone?.(answer);
    },
    // Also when it was refused: what is shown is then not what the server knows.
    onSettled: () => {
      for (const queryKey of refreshes) void queries.invalidateQueries({ queryKey });
    },
  });
  const error =
    sending.error instanceof Unreachable ? new AnswerLost(sending.error) : sending.error;
  return {
    send: (body) => sending.mutate(body),
    isSending: sending.isPending,
    isSendingAgain: sending.isPending && sending.failureCount > 0,
    error,
  };
};

/** It may have been accepted, or not. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
  constructor(cause: Unreachable) {
    super(
      'The answer was lost: it may have been accepted, or not. Trying again is safe, and does not make it happen twice.',
      { cause },
    );
  }
}

/** Whether a command that failed may have been accepted all the same: then only the same content may follow under its key. */
export const mayHaveHappened = (error: unknown): boolean =>
  error instanceof AnswerLost || codeOf(error) === 'no_answer';

/** Why the server refused; null when it did not. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Refused ? error.problem.code : null;
