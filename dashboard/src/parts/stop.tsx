import type { ReactNode } from 'react';
import type { RunView, StopView } from '../../../libs/contracts/src/views.js';
import { isStoppable } from '../data/consequences.js';
import { useControls } from '../data/controls.js';
import { KEYS } from '../data/keys.js';
import { useMay, useStop } from '../data/queries.js';
import { progressOf, type StopProgress } from '../data/stop-progress.js';
import { MayNot } from './may-not.js';
import { Ago } from './time.js';
import { ReadingTrouble } from './trouble.js';

/** Offers to stop a run; what that does is said before anything is done. */
export const StopControl = ({ run }: { readonly run: RunView }): ReactNode => {
  const may = useMay('stop');
  const { ask } = useControls();
  if (!isStoppable(run) || may === 'unclear') return null;
  if (!may) return <MayNot doing="Stopping" takes="an operator or an agent" />;
  return (
    <button type="button" className="danger" onClick={() => ask({ what: 'stop', run })}>
      Stop…
    </button>
  );
};

/** Who asked for a stop, what was proven since, and what is still waited for. */
export const StopNote = ({
  run,
  stopId,
}: {
  readonly run: RunView;
  readonly stopId: string;
}): ReactNode => {
  const { data: stop, error } = useStop(KEYS.run(run.runId), stopId);
  return (
    <StopSteps
      asked={run.stop}
      stop={stop}
      error={error}
      progress={stop && progressOf(stop, run)}
    />
  );
};

/** The same of a stop of whatever it is. */
export const StopSteps = ({
  asked: recorded,
  stop,
  error,
  progress,
}: {
  /** As it was recorded on what is stopped. */
  readonly asked: Pick<StopView, 'requestedAt' | 'reason'> | null;
  readonly stop: StopView | undefined;
  readonly error: unknown;
  readonly progress: StopProgress | undefined;
}): ReactNode => {
  const asked = stop ?? recorded;
  return (
    <section className="note" aria-labelledby="stop-title">
      <h2 id="stop-title">Stop</h2>
      <ReadingTrouble error={error} shown={stop !== undefined} />
      <ol className="steps">
        {asked !== null && (
          <li className="step done">
            <span>
              Accepted <Ago at={asked.requestedAt} />
              {stop && `, asked for by ${stop.requestedBy}`}: “{asked.reason}”
            </span>
          </li>
        )}
        {progress && (
          <li className={`step ${progress.state}`}>
            <span>{progress.words}</span>
          </li>
        )}
      </ol>
      {stop !== undefined && stop.remains.length > 0 && (
        <p className="trouble">
          May still go on: <code>{stop.remains.join(', ')}</code>
        </p>
      )}
      <p className="unseen" role="status">
        {progress && SAID[progress.state]}
      </p>
    </section>
  );
};

/** For those who hear the page, when it changes. */
const SAID: Readonly<Record<StopProgress['state'], string>> = {
  open: 'The stop is not proven yet',
  done: 'The stop has come to its end',
  doubt: 'Not all of it is shown to have stopped',
};
