import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { useUnknowns } from '../data/queries.js';
import { shortId } from '../data/words.js';
import { PageTitle } from '../parts/page-title.js';
import { StopControl } from '../parts/stop.js';
import { ReadingTrouble } from '../parts/trouble.js';
import { Doubt, SettleControl } from '../parts/unknown-box.js';

export const UnknownsPage = (): ReactNode => {
  const [cursor, setCursor] = useState('');
  const { data, error } = useUnknowns(cursor);
  return (
    <>
      <PageTitle>Outcomes that are not known</PageTitle>
      <p className="hint">
        Nothing here is sent again by itself. Each ends by proof, when its node’s journal is back,
        or by an operator’s recorded decision.
      </p>
      <ReadingTrouble error={error} shown={data !== undefined} />
      {data === undefined && error === null && <p className="empty">Reading…</p>}
      {data?.items.length === 0 && <p className="empty">None. Every outcome is known.</p>}
      <ul className="cards wide-cards">
        {(data?.items ?? []).map((run) => (
          <Card run={run} key={run.runId} />
        ))}
      </ul>
      {cursor !== '' && (
        <button type="button" className="quiet" onClick={() => setCursor('')}>
          The newest
        </button>
      )}
      {data?.nextCursor && (
        <button type="button" className="quiet" onClick={() => setCursor(data.nextCursor ?? '')}>
          Further ones
        </button>
      )}
    </>
  );
};

const Card = ({ run }: { readonly run: RunView }): ReactNode => (
  <li className="doubt-box">
    <h2>
      <Link href={`/runs/${run.runId}`} title={run.runId}>
        Run <code>{shortId(run.runId)}</code>
      </Link>{' '}
      of {run.agent} on {run.node}
    </h2>
    {run.unknown && <Doubt unknown={run.unknown} />}
    <div className="controls">
      <SettleControl run={run} />
      <StopControl run={run} />
    </div>
  </li>
);
