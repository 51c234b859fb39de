import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { ControlsContext, type Controls } from '../data/controls.js';
import { shortId } from '../data/words.js';
import { SettleDialog } from './settle-dialog.js';
import { StopDialog } from './stop-dialog.js';

interface Asked {
  readonly what: 'stop' | 'settle';
  readonly run: RunView;
}
interface Done {
  readonly runId: string;
  readonly words: string;
}

/**
 * Holds the dialogs, above the pages: the run that is asked about may leave the list that it was on, or its state, while
 * the dialog is open.
 */
export const ControlsAround = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [stops, setStops] = useState<ReadonlyMap<string, string>>(new Map());
  const [done, setDone] = useState<Done | null>(null);
  const controls = useMemo<Controls>(
    () => ({
      ask: (what, run) => {
        setDone(null);
        setAsked({ what, run });
      },
      stopOf: (runId) => stops.get(runId) ?? null,
    }),
    [stops],
  );
  const leave = (): void => setAsked(null);
  const finish = (runId: string, words: string): void => {
    setDone({ runId, words });
    leave();
  };
  return (
    <ControlsContext.Provider value={controls}>
      {children}
      <div role="status">
        {done !== null && <DoneNote done={done} onRead={() => setDone(null)} />}
      </div>
      {asked?.what === 'stop' && (
        <StopDialog
          run={asked.run}
          onLeave={leave}
          onAccepted={(stopId) => {
            const { runId } = asked.run;
            setStops((before) => new Map(before).set(runId, stopId));
            finish(runId, 'the stop was accepted. Its page shows what is proven to have stopped.');
          }}
        />
      )}
      {asked?.what === 'settle' && (
        <SettleDialog
          run={asked.run}
          onLeave={leave}
          onSettled={(as) => finish(asked.run.runId, `your decision was recorded: ${as}.`)}
        />
      )}
    </ControlsContext.Provider>
  );
};

const DoneNote = ({
  done: { runId, words },
  onRead,
}: {
  readonly done: Done;
  readonly onRead: () => void;
}): ReactNode => (
  <p className="toast">
    <span>
      Run{' '}
      <Link href={`/runs/${runId}`}>
        <code>{shortId(runId)}</code>
      </Link>
      : {words}
    </span>
    <button type="button" className="quiet" onClick={onRead}>
      Hide
    </button>
  </p>
);
