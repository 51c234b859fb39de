import type { ReactNode } from 'react';
import { useControls } from '../data/controls.js';
import { KEYS } from '../data/keys.js';
import { useMay, useStop } from '../data/queries.js';
import { isAgentStoppable, isUndecided, type SpawnView } from '../data/spawn-status.js';
import { agentStopProgress } from '../data/stop-progress.js';
import { MayNot } from './may-not.js';
import { StopSteps } from './stop.js';
import { Ago } from './time.js';

/** Offers to stop the agent of a spawn. */
export const StopAgentControl = ({ spawn }: { readonly spawn: SpawnView }): ReactNode => {
  const may = useMay('stop');
  const { ask } = useControls();
  if (!isAgentStoppable(spawn) || may === 'unclear') return null;
  if (!may) return <MayNot doing="Stopping" takes="an operator or an agent" />;
  return (
    <button type="button" className="danger" onClick={() => ask({ what: 'stop-agent', spawn })}>
      Stop its agent…
    </button>
  );
};

/** Offers the ways on from an agent that may be alive. */
export const DecideControl = ({ spawn }: { readonly spawn: SpawnView }): ReactNode => {
  const may = useMay('resolve');
  const { ask } = useControls();
  if (!isUndecided(spawn) || may === 'unclear') return null;
  if (!may) return <MayNot doing="Deciding on its agent" takes="an operator" />;
  return (
    <button type="button" onClick={() => ask({ what: 'decide', spawn })}>
      Decide…
    </button>
  );
};

/** Why nobody knows whether its agent lives, and what can be done. */
export const SpawnDoubt = ({
  unknown,
}: {
  readonly unknown: NonNullable<SpawnView['unknown']>;
}): ReactNode => (
  <>
    <p className="reason">{unknown.reason}</p>
    <p className="hint">
      <code>spawn_outcome_unknown</code> · {WITNESSES[unknown.witness]} <Ago at={unknown.since} />
      {unknown.lastHeardAt !== null && (
        <>
          {' '}
          · last heard of <Ago at={unknown.lastHeardAt} />
        </>
      )}
    </p>
    <p>{unknown.advice}</p>
  </>
);

/** Who says that it can't be known. */
const WITNESSES: Readonly<Record<NonNullable<SpawnView['unknown']>['witness'], string>> = {
  node: 'said by its node',
  saga: 'its node did not answer,',
  reconciler: 'found by the reconciler',
};

/** Who asked for a stop of its agent, and what was proven since. */
export const AgentStopNote = ({
  spawn,
  stopId,
}: {
  readonly spawn: SpawnView;
  readonly stopId: string;
}): ReactNode => {
  const { data: stop, error } = useStop(KEYS.spawn(spawn.spawnId), stopId);
  return (
    <StopSteps
      asked={spawn.stop}
      stop={stop}
      error={error}
      progress={stop && agentStopProgress(stop, spawn)}
    />
  );
};
