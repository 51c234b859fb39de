import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { useUnknowns } from '../data/queries.js';
import type { SpawnView } from '../data/spawn-status.js';
import { shortId } from '../data/words.js';
import { PageTitle } from '../parts/page-title.js';
import { DecideControl, SpawnDoubt } from '../parts/spawn-controls.js';
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
      {data?.items.length === 0 && (
        <p className="empty">{cursor === '' ? 'None. Every outcome is known.' : 'None further.'}</p>
      )}
      <ul className="cards wide-cards">
        {(data?.items ?? []).map((item) =>
          'spawnId' in item ? (
            <SpawnCard spawn={item} key={item.spawnId} />
          ) : (
            <RunCard run={item} key={item.runId} />
          ),
        )}
      </ul>
      {cursor !== '' && (
        <button type="button" className="quiet" onClick={() => setCursor('')}>
          The first ones
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

const RunCard = ({ run }: { readonly run: RunView }): ReactNode => (
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

const SpawnCard = ({ spawn }: { readonly spawn: SpawnView }): ReactNode => (
  <li className="doubt-box">
    <h2>
      <Link href={`/spawns/${spawn.spawnId}`} title={spawn.spawnId}>
        Spawn <code>{shortId(spawn.spawnId)}</code>
      </Link>{' '}
      of {spawn.agentName} on {spawn.nodeName ?? spawn.nodeId}
    </h2>
    {spawn.unknown && <SpawnDoubt unknown={spawn.unknown} />}
    <div className="controls">
      <DecideControl spawn={spawn} />
    </div>
  </li>
);
