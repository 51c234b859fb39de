import type { ReactNode } from 'react';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { isStoppable } from '../data/consequences.js';
import { useControls } from '../data/controls.js';
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
    <button type="button" className="danger" onClick={() => ask('stop', run)}>
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
  const { data: stop, error } = useStop(run.runId, stopId);
  const asked = stop ?? run.stop;
  const progress = stop && progressOf(stop, run);
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
