import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { NodeView } from '../../../libs/contracts/src/views.js';
import { useNodes } from '../data/queries.js';
import { hrefOfRuns } from '../data/run-filter.js';
import { hrefOfSpawns } from '../data/spawn-filter.js';
import { Harnesses, Places, Service } from '../parts/node-places.js';
import { PageTitle } from '../parts/page-title.js';
import { Ago } from '../parts/time.js';
import { ReadingTrouble } from '../parts/trouble.js';

export const NodesPage = (): ReactNode => {
  const { data, error } = useNodes();
  return (
    <>
      <PageTitle>Nodes</PageTitle>
      <ReadingTrouble error={error} shown={data !== undefined} />
      {data === undefined && error === null && <p className="empty">Reading…</p>}
      {data?.items.length === 0 && (
        <p className="empty">No node has joined. A node-agent that starts joins by itself.</p>
      )}
      <ul className="cards">
        {(data?.items ?? []).map((node) => (
          <Card node={node} key={node.id} />
        ))}
      </ul>
      {data?.nextCursor && <p className="hint">There are more nodes than are shown here.</p>}
    </>
  );
};

const Card = ({ node }: { readonly node: NodeView }): ReactNode => (
  <li className="card">
    <div className="row">
      <h2>
        {node.name}
        {node.name !== node.id && (
          <>
            {' '}
            <code>{node.id}</code>
          </>
        )}
      </h2>
      <Condition node={node} />
    </div>
    <p className="hint">
      Last heard of <Ago at={node.lastHeardAt} /> · joined <Ago at={node.joinedAt} />
    </p>
    <p>
      <meter
        min={0}
        max={Math.max(1, node.maxRuns)}
        value={node.running}
        aria-label="Runs under way"
      />{' '}
      {node.running} of {node.maxRuns} runs
      {node.waiting > 0 && `, ${String(node.waiting)} wait for a free place`}
    </p>
    <Places node={node} />
    <Harnesses node={node} />
    <p>
      Agents:{' '}
      {node.agents.length === 0
        ? 'none'
        : node.agents.map((agent, index) => (
            <span key={agent}>
              {index > 0 && ', '}
              <Link href={hrefOfRuns({ agent })}>{agent}</Link>
            </span>
          ))}
    </p>
    {node.capabilities.length > 0 && <p>Capabilities: {node.capabilities.join(', ')}</p>}
    <p>
      <Link href={hrefOfRuns({ node: node.id })}>Its runs</Link> ·{' '}
      <Link href={hrefOfSpawns({ node: node.id })}>Its spawns</Link>
    </p>
    <Service node={node} />
  </li>
);

const SIGNS: Readonly<Record<NodeView['liveness'], string>> = {
  alive: '●',
  silent: '✕',
  unclear: '?',
};

/** By sign, word and colour, like the status of a run. */
const Condition = ({ node }: { readonly node: NodeView }): ReactNode => {
  if (node.membership === 'left') return <span className="condition">– left</span>;
  return (
    <span className={`condition is-${node.liveness}`}>
      <span aria-hidden="true">{SIGNS[node.liveness]}</span> {node.liveness}
      {node.recovering && ', reads its journal'}
      {node.drained !== null && ', drained'}
    </span>
  );
};
