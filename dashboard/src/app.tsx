import { useEffect, useRef, type ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useLiveUpdates } from './data/live.js';
import { NodesPage } from './pages/nodes.page.js';
import { RunPage } from './pages/run.page.js';
import { RunsPage } from './pages/runs.page.js';
import { SpawnPage } from './pages/spawn.page.js';
import { SpawnsPage } from './pages/spawns.page.js';
import { SystemPage } from './pages/system.page.js';
import { UnknownsPage } from './pages/unknowns.page.js';
import { Banner } from './parts/banner.js';
import { ControlsAround } from './parts/controls.js';
import { PageTitle } from './parts/page-title.js';
import { TopBar } from './parts/top-bar.js';

export const App = (): ReactNode => {
  const liveness = useLiveUpdates();
  const main = useFocusOnNewPage();
  return (
    <ControlsAround>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <TopBar liveness={liveness} />
      <Banner liveness={liveness} />
      <main id="main" tabIndex={-1} ref={main}>
        <Switch>
          <Route path="/runs" component={RunsPage} />
          <Route path="/runs/:id">{({ id }) => <RunPage runId={id} key={id} />}</Route>
          <Route path="/spawns" component={SpawnsPage} />
          <Route path="/spawns/:id">{({ id }) => <SpawnPage spawnId={id} key={id} />}</Route>
          <Route path="/unknowns" component={UnknownsPage} />
          <Route path="/nodes" component={NodesPage} />
          <Route path="/system" component={SystemPage} />
          <Route path="/">
            <Redirect to="/runs" replace />
          </Route>
          <Route>
            <PageTitle>There is no such page</PageTitle>
          </Route>
        </Switch>
      </main>
    </ControlsAround>
  );
};

/** Whoever goes on by keyboard or hears the page is taken to the new one's beginning, as a browser would do it. */
const useFocusOnNewPage = () => {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    const isFirst = shown.current === '/'; // That one only leads on to the list.
    shown.current = path;
    if (isFirst) return;
    main.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, [path]);
  return main;
};
