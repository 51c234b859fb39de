import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { NodeView } from '../../../libs/contracts/src/views.js';
import { useControls } from '../data/controls.js';
import { freePlaces, serviceChangeOf } from '../data/node-service.js';
import { useMay } from '../data/queries.js';
import { Ago } from './time.js';

/** How many places for agents a node has, and who holds each of them, since when and why. */
export const Places = ({ node }: { readonly node: NodeView }): ReactNode => {
  if (node.capacity === 0 && node.slots.length === 0)
    return <p className="hint">No places for spawned agents.</p>;
  return (
    <>
      <p>
        <meter
          min={0}
          max={Math.max(1, node.capacity)}
          value={Math.min(node.slots.length, node.capacity)}
          aria-label="Places taken"
        />{' '}
        {freePlaces(node)} of {node.capacity} places free
      </p>
      {node.slots.length > 0 && (
        <ul className="slots" aria-label={`Who holds the places of ${node.name}`}>
          {node.slots.map((slot) => (
            <li key={slot.spawnId}>
              <Link href={`/spawns/${slot.spawnId}`} title={slot.spawnId}>
                {slot.agentName}
              </Link>{' '}
              ({slot.harness}), {slot.state} <Ago at={slot.since} />: {slot.why}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

/** What agents can be started with here; what is not ready is marked. */
export const Harnesses = ({
  node: { harnesses, notReady },
}: {
  readonly node: Pick<NodeView, 'harnesses' | 'notReady'>;
}): ReactNode =>
  harnesses.length > 0 && (
    <p>
      Harnesses:{' '}
      {harnesses.map((harness, index) => (
        <span key={harness}>
          {index > 0 && ', '}
          {harness}
          {notReady.includes(harness) && <b className="is-unclear"> (not ready)</b>}
        </span>
      ))}
    </p>
  );

/** Why a node is out of service, and the way out of it or back. */
export const Service = ({ node }: { readonly node: NodeView }): ReactNode => {
  const may = useMay('resolve');
  const { ask } = useControls();
  const change = serviceChangeOf(node);
  return (
    <>
      {node.drained !== null && (
        <p className="note">
          Drained <Ago at={node.drained.since} /> by {node.drained.actor}: “{node.drained.reason}”
        </p>
      )}
      {may === true && change !== null && (
        <button type="button" className="quiet" onClick={() => ask({ what: change, node })}>
          {change === 'drain' ? 'Drain…' : 'Return…'}
        </button>
      )}
    </>
  );
};
