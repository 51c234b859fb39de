import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { NodeView, Page } from '../../../libs/contracts/src/views.js';
import { useSession } from '../data/session.js';
import { Ago } from '../parts/time.js';
import { Trouble } from '../parts/trouble.js';

export const NodesPage = (): ReactNode => {
  const { api } = useSession();
  // Liveness is judged at each look and makes no event, so it is looked at often.
  const nodes = useQuery({
    queryKey: ['nodes'],
    queryFn: () => api.get<Page<NodeView>>('/nodes'),
    refetchInterval: 2_000,
  });
  const items = nodes.data?.items ?? [];
  return (
    <section aria-labelledby="nodes-title">
      <h1 id="nodes-title">Nodes</h1>
      <Trouble error={nodes.error} />
      {items.length === 0 && (
        <p className="empty">{nodes.isPending ? 'Reading…' : 'No node has joined.'}</p>
      )}
      <ul className="cards">
        {items.map((node) => (
          <li key={node.id} className="card">
            <div className="row">
              <h2>
                {node.name} <code>{node.id}</code>
              </h2>
              <span className={`node-liveness ${node.liveness}`}>
                {node.membership === 'left'
                  ? 'left'
                  : node.recovering
                    ? `${node.liveness}, recovering`
                    : node.liveness}
              </span>
            </div>
            <p>
              Last heard of <Ago at={node.lastHeardAt} />
            </p>
            <Bar running={node.running} max={node.maxRuns} />
            {node.waiting > 0 && <p>{node.waiting} wait for a free place</p>}
            <p>Agents: {node.agents.length === 0 ? 'none' : node.agents.join(', ')}</p>
            {node.capabilities.length > 0 && <p>Capabilities: {node.capabilities.join(', ')}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
};

const Bar = ({ running, max }: { readonly running: number; readonly max: number }): ReactNode => (
  <p>
    <meter min={0} max={max} value={running} aria-label="Concurrent runs" /> {running} of {max} runs
  </p>
);
