import { useState, type ReactNode } from 'react';
import { codeOf, mayHaveHappened, type Command } from '../data/command.js';
import { Consequences, Dialog } from './dialog.js';
import { Line } from './line.js';
import { Sending } from './sending.js';
import { Trouble } from './trouble.js';

/** The words of a dialog that asks for a reason before something is done. */
export interface ReasonWords {
  readonly title: ReactNode;
  /** What it is about, in one line. */
  readonly hint: string;
  readonly consequences: readonly string[];
  /** What the form is called, for those who hear it. */
  readonly form: string;
  readonly label: string;
  readonly placeholder: string;
  /** The button that does it, and the one that does nothing. */
  readonly doIt: string;
  readonly leave: string;
  /** What to say of a refusal, where the server's words would not say what to do. */
  readonly refusals?: Readonly<Record<string, string>>;
}

/** Says what something does, asks why, and does it. Whoever shows it gives its command one key: it can't happen twice. */
export const ReasonDialog = ({
  words,
  command,
  reasonMax,
  isOffered,
  isChosen = true,
  isDanger = false,
  onSend,
  onLeave,
  children,
}: {
  readonly words: ReasonWords;
  readonly command: Command;
  readonly reasonMax: number;
  /** Whether it would do anything, as far as the page knows. */
  readonly isOffered: boolean;
  /** Whether all is chosen that has to be, beside the reason. */
  readonly isChosen?: boolean;
  readonly isDanger?: boolean;
  readonly onSend: (reason: string) => void;
  readonly onLeave: () => void;
  /** What else is to be chosen. */
  readonly children?: ReactNode;
}): ReactNode => {
  const [reason, setReason] = useState('');
  const isSure = !mayHaveHappened(command.error);
  const isFixed = command.isSending || !isSure;
  const isComplete = isChosen && reason.trim() !== '' && !command.isSending;
  return (
    <Dialog title={words.title} isBusy={command.isSending} onLeave={onLeave}>
      <p className="hint">{words.hint}</p>
      <Consequences of={words.consequences} />
      <form
        aria-label={words.form}
        onSubmit={(event) => {
          event.preventDefault();
          onSend(reason);
        }}
      >
        {isOffered && children !== undefined && <fieldset disabled={isFixed}>{children}</fieldset>}
        {isOffered && (
          <Line
            label={words.label}
            value={reason}
            maxLength={reasonMax}
            placeholder={words.placeholder}
            readOnly={isFixed}
            required
            onChange={setReason}
          />
        )}
        <Sending command={command} />
        <Refusal error={command.error} refusals={words.refusals ?? {}} />
        <div className="buttons">
          <button type="button" className="quiet" disabled={command.isSending} onClick={onLeave}>
            {isOffered && isSure ? words.leave : 'Close'}
          </button>
          {isOffered && (
            <button type="submit" className={isDanger ? 'danger' : ''} disabled={!isComplete}>
              {isSure ? words.doIt : 'Try again'}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
};

const Refusal = ({
  error,
  refusals,
}: {
  readonly error: unknown;
  readonly refusals: Readonly<Record<string, string>>;
}): ReactNode => {
  const code = codeOf(error);
  const words = code === null ? undefined : refusals[code];
  if (words === undefined) return <Trouble error={error} />;
  return (
    <p className="trouble" role="alert">
      {words} <code>{code}</code>
    </p>
  );
};
