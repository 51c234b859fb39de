import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Page, RunView } from '../../../libs/contracts/src/views.js';
import { useSession } from '../data/session.js';
import { Ago } from '../parts/time.js';
import { Trouble } from '../parts/trouble.js';

export const UnknownsPage = (): ReactNode => {
  const { api } = useSession();
  const unknowns = useQuery({
    queryKey: ['unknowns'],
    queryFn: () => api.get<Page<RunView>>('/unknowns'),
  });
  const items = unknowns.data?.items ?? [];
  return (
    <section aria-labelledby="unknowns-title">
      <h1 id="unknowns-title">Outcomes that are not known</h1>
      <p className="hint">
        Nothing here is sent again by itself. Each ends by proof, when its node’s journal is back,
        or by your recorded decision.
      </p>
      <Trouble error={unknowns.error} />
      {items.length === 0 && (
        <p className="empty">{unknowns.isPending ? 'Reading…' : 'None. Every outcome is known.'}</p>
      )}
      <ul className="cards">
        {items.map((run) => (
          <li key={run.runId} className="unknown-box">
            <h2>
              <Link href={`/runs/${run.runId}`}>
                <code>{run.runId.slice(0, 8)}</code>
              </Link>{' '}
              {run.agent} on {run.node}
            </h2>
            {run.unknown && (
              <>
                <p>
                  <code>{run.unknown.code}</code> · since <Ago at={run.unknown.since} /> ·{' '}
                  {run.unknown.fenced ? 'proven to run no longer' : 'may still be running'}
                </p>
                <p>{run.unknown.reason}</p>
                <p>{run.unknown.advice}</p>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
};
