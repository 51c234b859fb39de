import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import type { CallerView, Page, RunView } from '../../libs/contracts/src/views.js';
import { useLiveUpdates, type Liveness } from './data/live.js';
import { useSession } from './data/session.js';
import { NodesPage } from './pages/nodes.page.js';
import { RunPage } from './pages/run.page.js';
import { RunsPage } from './pages/runs.page.js';
import { UnknownsPage } from './pages/unknowns.page.js';

export const App = (): ReactNode => {
  const { api, signOut } = useSession();
  const liveness = useLiveUpdates();
  const caller = useQuery({ queryKey: ['me'], queryFn: () => api.get<CallerView>('/me') });
  const unknowns = useQuery({
    queryKey: ['unknowns'],
    queryFn: () => api.get<Page<RunView>>('/unknowns'),
  });
  const waiting = unknowns.data?.items.length ?? 0;
  return (
    <>
      <header className="top">
        <Link href="/runs" className="brand">
          Holdfast
        </Link>
        <nav aria-label="Main">
          <Tab href="/runs">Runs</Tab>
          <Tab href="/unknowns">
            Unknown
            {waiting > 0 && (
              <span className="count">
                {unknowns.data?.nextCursor ? `${String(waiting)}+` : waiting}
              </span>
            )}
          </Tab>
          <Tab href="/nodes">Nodes</Tab>
        </nav>
        <LivenessMark liveness={liveness} />
        <span className="caller">
          {caller.data &&
            `${caller.data.principal} · ${caller.data.role} · ${caller.data.workspace}`}
        </span>
        <button type="button" className="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      <main>
        <Switch>
          <Route path="/runs" component={RunsPage} />
          <Route path="/runs/:id">{({ id }) => <RunPage runId={id} key={id} />}</Route>
          <Route path="/unknowns" component={UnknownsPage} />
          <Route path="/nodes" component={NodesPage} />
          <Route path="/">
            <Redirect to="/runs" />
          </Route>
          <Route>
            <p className="empty">There is no such page.</p>
          </Route>
        </Switch>
      </main>
    </>
  );
};

const Tab = ({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ReactNode;
}): ReactNode => (
  <Link href={href} className={(active) => (active ? 'tab active' : 'tab')}>
    {children}
  </Link>
);

const WORDS: Readonly<Record<Liveness, string>> = {
  connecting: 'connecting…',
  live: 'live',
  lost: 'connection lost: what you see may be old',
};

const LivenessMark = ({ liveness }: { readonly liveness: Liveness }): ReactNode => (
  <span className={`liveness ${liveness}`} role="status">
    {WORDS[liveness]}
  </span>
);
