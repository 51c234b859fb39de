import { useState, type ReactNode } from 'react';
import type { RunView, StopView } from '../../../libs/contracts/src/views.js';
import { useCommand } from '../data/command.js';
import { KEYS } from '../data/keys.js';
import { useMay, useStop } from '../data/queries.js';
import { isOpen } from '../data/run-status.js';
import { MayNot } from './may-not.js';
import { Ago } from './time.js';
import { Trouble } from './trouble.js';

/** The most characters that a reason may have. Source: the bound of the API. */
const REASON_MAX = 1_000;

/** Offers to stop a run, and asks once more before it does. */
export const StopControl = ({ run }: { readonly run: RunView }): ReactNode => {
  const may = useMay('stop');
  const [isAsking, setAsking] = useState(false);
  if (!isOpen(run.status) || run.stop !== null || may === 'unclear') return null;
  if (!may) return <MayNot doing="Stopping" takes="an operator or an agent" />;
  if (isAsking) return <StopForm run={run} onLeave={() => setAsking(false)} />;
  return (
    <button type="button" className="danger" onClick={() => setAsking(true)}>
      Stop…
    </button>
  );
};

const StopForm = ({
  run,
  onLeave,
}: {
  readonly run: RunView;
  readonly onLeave: () => void;
}): ReactNode => {
  const [reason, setReason] = useState('');
  const stop = useCommand({
    path: '/stops',
    refreshes: [KEYS.run(run.runId), KEYS.runs, KEYS.counts],
  });
  return (
    <form
      className="ask"
      aria-label="Stop this run"
      onSubmit={(event) => {
        event.preventDefault();
        const why = reason.trim() === '' ? 'stopped from the dashboard' : reason;
        stop.send({ target: { kind: 'run', id: run.runId }, reason: why });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onLeave();
      }}
    >
      <label className="wide">
        Reason, kept with the run
        <input
          autoFocus // The person has just asked for this form.
          value={reason}
          maxLength={REASON_MAX}
          placeholder="stopped from the dashboard"
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <button type="submit" className="danger" disabled={stop.isSending}>
        Stop this run
      </button>
      <button type="button" className="quiet" onClick={onLeave}>
        Let it go on
      </button>
      {run.status === 'unknown' && (
        <p className="hint">
          Its node is told when it is back. From then on the run can not count as completed.
        </p>
      )}
      <Trouble error={stop.error} />
    </form>
  );
};

/** That a stop was accepted, and what was proven since. */
export const StopNote = ({
  runId,
  stop,
}: {
  readonly runId: string;
  readonly stop: NonNullable<RunView['stop']>;
}): ReactNode => {
  const { data } = useStop(runId, stop.stopId);
  return (
    <div className="note">
      <p>
        Stop asked for <Ago at={stop.requestedAt} />
        {data && ` by ${data.requestedBy}`}: “{stop.reason}”.{' '}
        {data && <b>{OUTCOMES[data.outcome]}</b>}
        {data?.proof && (
          <>
            {' '}
            Proof: <code>{data.proof}</code>.
          </>
        )}
      </p>
      {data !== undefined && data.remains.length > 0 && (
        <p className="trouble">
          May still go on: <code>{data.remains.join(', ')}</code>
        </p>
      )}
    </div>
  );
};

const OUTCOMES: Readonly<Record<StopView['outcome'], string>> = {
  pending: 'Not proven yet.',
  proven: 'Proven to have stopped.',
  unknown: 'Whether all of it stopped is not known.',
  'too-late': 'It had ended before.',
};
