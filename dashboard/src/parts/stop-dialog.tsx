import { useState, type ReactNode } from 'react';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { mayHaveHappened, useCommand } from '../data/command.js';
import { consequencesOfStop, isStoppable } from '../data/consequences.js';
import { KEYS } from '../data/keys.js';
import { newKey } from '../data/new-key.js';
import { useAround, useRun } from '../data/queries.js';
import { shortId } from '../data/words.js';
import { Consequences, Dialog } from './dialog.js';
import { Line } from './line.js';
import { Sending } from './sending.js';
import { Trouble } from './trouble.js';

/** The most characters that a reason may have. Source: the bound of the API. */
const REASON_MAX = 1_000;
/** What a stop says for which nobody gave a reason: the API asks for one. */
const NO_REASON = 'stopped from the dashboard';

/** Says what a stop of the run does, and does it. One key for each time that it is opened: it can't happen twice. */
export const StopDialog = ({
  run: asked,
  onAccepted,
  onLeave,
}: {
  readonly run: RunView;
  readonly onAccepted: (stopId: string) => void;
  readonly onLeave: () => void;
}): ReactNode => {
  const run = useRun(asked.runId).data ?? asked;
  const around = useAround(run);
  const [key] = useState(newKey);
  const [reason, setReason] = useState('');
  const stop = useCommand<{ readonly stopId: string }>({
    path: '/stops',
    key,
    refreshes: [KEYS.run(run.runId), KEYS.runs, KEYS.unknowns, KEYS.counts],
    onDone: ({ stopId }) => onAccepted(stopId),
  });
  const isSure = !mayHaveHappened(stop.error);
  return (
    <Dialog
      title={
        <>
          Stop run <code>{shortId(run.runId)}</code>?
        </>
      }
      isBusy={stop.isSending}
      onLeave={onLeave}
    >
      <p className="hint">
        {run.agent} on {run.node}, {run.status}
      </p>
      <Consequences of={consequencesOfStop(run, around)} />
      <form
        aria-label="Stop this run"
        onSubmit={(event) => {
          event.preventDefault();
          const why = reason.trim() === '' ? NO_REASON : reason;
          stop.send({ target: { kind: 'run', id: run.runId }, reason: why });
        }}
      >
        {isStoppable(run) && (
          <Line
            label="Reason, kept with the run"
            value={reason}
            maxLength={REASON_MAX}
            placeholder={NO_REASON}
            readOnly={stop.isSending || !isSure}
            onChange={setReason}
          />
        )}
        <Sending command={stop} />
        <Trouble error={stop.error} />
        <div className="buttons">
          <button type="button" className="quiet" disabled={stop.isSending} onClick={onLeave}>
            {isStoppable(run) && isSure ? 'Let it go on' : 'Close'}
          </button>
          {isStoppable(run) && (
            <button type="submit" className="danger" disabled={stop.isSending}>
              {isSure ? 'Stop this run' : 'Try again'}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
};
