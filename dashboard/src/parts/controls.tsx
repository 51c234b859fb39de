import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ControlsContext, type Asked, type Controls } from '../data/controls.js';
import { shortId } from '../data/words.js';
import { DecideDialog } from './decide-dialog.js';
import { ServiceDialog } from './service-dialog.js';
import { SettleDialog } from './settle-dialog.js';
import { StopAgentDialog } from './stop-agent-dialog.js';
import { StopDialog } from './stop-dialog.js';

/** What was done, and where it shows. */
interface Done {
  readonly kind: 'Run' | 'Spawn' | 'Node';
  readonly id: string;
  readonly words: string;
}

const STOP_ACCEPTED = 'the stop was accepted. Its page shows what is proven to have stopped.';

/**
 * Holds the dialogs, above the pages: what is asked about may leave the list that it was on, or its state, while the dialog
 * is open.
 */
export const ControlsAround = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [stops, setStops] = useState<ReadonlyMap<string, string>>(new Map());
  const [done, setDone] = useState<Done | null>(null);
  const controls = useMemo<Controls>(
    () => ({
      ask: (what) => {
        setDone(null);
        setAsked(what);
      },
      stopOf: (id) => stops.get(id) ?? null,
    }),
    [stops],
  );
  return (
    <ControlsContext.Provider value={controls}>
      {children}
      <div role="status">
        {done !== null && <DoneNote done={done} onRead={() => setDone(null)} />}
      </div>
      {asked !== null && (
        <Asking
          asked={asked}
          onLeave={() => setAsked(null)}
          onStopped={(id, stopId) => setStops((before) => new Map(before).set(id, stopId))}
          onDone={(what) => {
            setDone(what);
            setAsked(null);
          }}
        />
      )}
    </ControlsContext.Provider>
  );
};

const Asking = ({
  asked,
  onLeave,
  onStopped,
  onDone,
}: {
  readonly asked: Asked;
  readonly onLeave: () => void;
  readonly onStopped: (id: string, stopId: string) => void;
  readonly onDone: (done: Done) => void;
}): ReactNode => {
  switch (asked.what) {
    case 'stop':
      return (
        <StopDialog
          run={asked.run}
          onLeave={onLeave}
          onAccepted={(stopId) => {
            onStopped(asked.run.runId, stopId);
            onDone({ kind: 'Run', id: asked.run.runId, words: STOP_ACCEPTED });
          }}
        />
      );
    case 'settle':
      return (
        <SettleDialog
          run={asked.run}
          onLeave={onLeave}
          onSettled={(as) =>
            onDone({
              kind: 'Run',
              id: asked.run.runId,
              words: `your decision was recorded: ${as}.`,
            })
          }
        />
      );
    case 'stop-agent':
      return (
        <StopAgentDialog
          spawn={asked.spawn}
          onLeave={onLeave}
          onAccepted={(stopId) => {
            onStopped(asked.spawn.spawnId, stopId);
            onDone({ kind: 'Spawn', id: asked.spawn.spawnId, words: STOP_ACCEPTED });
          }}
        />
      );
    case 'decide':
      return (
        <DecideDialog
          spawn={asked.spawn}
          onLeave={onLeave}
          onDecided={(as) =>
            onDone({
              kind: 'Spawn',
              id: asked.spawn.spawnId,
              words: `your decision was recorded: ${as}.`,
            })
          }
        />
      );
    case 'drain':
    case 'return':
      return (
        <ServiceDialog
          node={asked.node}
          change={asked.what}
          onLeave={onLeave}
          onChanged={() =>
            onDone({
              kind: 'Node',
              id: asked.node.id,
              words: asked.what === 'drain' ? 'it is drained.' : 'it is back in service.',
            })
          }
        />
      );
  } // No default: what can be asked for does not compile until it has its dialog.
};

const DoneNote = ({
  done: { kind, id, words },
  onRead,
}: {
  readonly done: Done;
  readonly onRead: () => void;
}): ReactNode => (
  <p className="toast">
    <span>
      {kind}{' '}
      <Link href={kind === 'Node' ? '/nodes' : `/${kind.toLowerCase()}s/${id}`}>
        <code>{kind === 'Node' ? id : shortId(id)}</code>
      </Link>
      : {words}
    </span>
    <button type="button" className="quiet" onClick={onRead}>
      Hide
    </button>
  </p>
);
