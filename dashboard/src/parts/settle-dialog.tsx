import { useId, useState, type ReactNode } from 'react';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { codeOf, mayHaveHappened, useCommand } from '../data/command.js';
import { RESOLUTIONS, consequencesOfSettling, type Resolution } from '../data/consequences.js';
import { KEYS } from '../data/keys.js';
import { newKey } from '../data/new-key.js';
import { useAround, useRun } from '../data/queries.js';
import { shortId } from '../data/words.js';
import { Consequences, Dialog } from './dialog.js';
import { Line } from './line.js';
import { Sending } from './sending.js';
import { Trouble } from './trouble.js';

/** The most characters that a note may have. Source: the bound of the API. */
const NOTE_MAX = 2_000;

/** An operator's recorded decision on what can't be known. The first settlement, this one or proof, stands. */
export const SettleDialog = ({
  run: asked,
  onSettled,
  onLeave,
}: {
  readonly run: RunView;
  readonly onSettled: (as: Resolution) => void;
  readonly onLeave: () => void;
}): ReactNode => {
  const run = useRun(asked.runId).data ?? asked;
  const around = useAround(run);
  const [key] = useState(newKey);
  const [as, setAs] = useState<Resolution | null>(null);
  const [note, setNote] = useState('');
  const settle = useCommand<{ readonly status: Resolution }>({
    path: `/runs/${run.runId}/resolution`,
    key,
    refreshes: [KEYS.run(run.runId), KEYS.unknowns, KEYS.runs, KEYS.counts],
    onDone: ({ status }) => onSettled(status),
  });
  const isSure = !mayHaveHappened(settle.error);
  // The server knew before this page does: it refuses, and the page reads again.
  const isOver = run.status !== 'unknown' || codeOf(settle.error) === 'run_not_unknown';
  const isFixed = settle.isSending || !isSure;
  return (
    <Dialog
      title={
        <>
          Settle run <code>{shortId(run.runId)}</code>
        </>
      }
      isBusy={settle.isSending}
      onLeave={onLeave}
    >
      <p className="hint">
        {run.agent} on {run.node}
        {run.unknown !== null && `: ${run.unknown.reason}`}
      </p>
      <Consequences of={consequencesOfSettling(run, around)} />
      <form
        aria-label="Settle it by decision"
        onSubmit={(event) => {
          event.preventDefault();
          settle.send({ as, note });
        }}
      >
        {!isOver && <Choice run={run} chosen={as} isFixed={isFixed} onChoose={setAs} />}
        {!isOver && (
          <Line
            label="Because"
            value={note}
            maxLength={NOTE_MAX}
            placeholder="what you found, and where"
            readOnly={isFixed}
            required
            onChange={setNote}
          />
        )}
        <Sending command={settle} />
        <Refusal error={settle.error} />
        <div className="buttons">
          <button type="button" className="quiet" disabled={settle.isSending} onClick={onLeave}>
            {isOver || !isSure ? 'Close' : 'Leave it unknown'}
          </button>
          {!isOver && (
            <button type="submit" disabled={as === null || note.trim() === '' || settle.isSending}>
              {isSure ? 'Record the decision' : 'Try again'}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
};

const Choice = ({
  run,
  chosen,
  isFixed,
  onChoose,
}: {
  readonly run: RunView;
  readonly chosen: Resolution | null;
  readonly isFixed: boolean;
  readonly onChoose: (as: Resolution) => void;
}): ReactNode => {
  const name = useId();
  return (
    <fieldset disabled={isFixed}>
      <legend>It counts as</legend>
      {RESOLUTIONS.filter(({ as }) => as !== 'completed' || run.stop === null).map(
        ({ as, means }) => (
          <label key={as}>
            <input type="radio" name={name} checked={chosen === as} onChange={() => onChoose(as)} />
            <span>
              <b>{as}</b>: {means}
            </span>
          </label>
        ),
      )}
    </fieldset>
  );
};

/** Why it was not recorded, where the server's words would not say what to do. */
const Refusal = ({ error }: { readonly error: unknown }): ReactNode => {
  const code = codeOf(error);
  const words = code === null ? undefined : CONFLICTS[code];
  if (words === undefined) return <Trouble error={error} />;
  return (
    <p className="trouble" role="alert">
      {words} <code>{code}</code>
    </p>
  );
};

const CONFLICTS: Readonly<Record<string, string>> = {
  run_not_unknown:
    'Your decision was not recorded: proof, or somebody else, was first. What came first stands.',
  run_stop_recorded:
    'Your decision was not recorded: a stop was accepted meanwhile, so it can not count as completed. Choose another one.',
};
