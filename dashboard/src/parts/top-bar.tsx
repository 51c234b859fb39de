import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Liveness } from '../data/live.js';
import { useCaller, useNodes, useUnknowns } from '../data/queries.js';
import { useSession } from '../data/session.js';

export const TopBar = ({ liveness }: { readonly liveness: Liveness }): ReactNode => {
  const { signOut } = useSession();
  const caller = useCaller();
  return (
    <header className="top">
      <Link href="/runs" className="brand">
        Holdfast
      </Link>
      <nav aria-label="Main">
        <Tab href="/runs">Runs</Tab>
        <Tab href="/spawns">Spawns</Tab>
        <Tab href="/unknowns">
          Unknown
          <UnknownCount />
        </Tab>
        <Tab href="/nodes">
          Nodes
          <SilentCount />
        </Tab>
        <Tab href="/system">System</Tab>
      </nav>
      <span className={`liveness ${liveness.state}`}>{WORDS[liveness.state]}</span>
      <span className="caller">
        {caller !== undefined && `${caller.principal} · ${caller.role} · ${caller.workspace}`}
      </span>
      <button type="button" className="quiet" onClick={signOut}>
        Sign out
      </button>
    </header>
  );
};

const WORDS: Readonly<Record<Liveness['state'], string>> = {
  connecting: 'connecting…',
  live: 'live',
  lost: 'not live',
};

const Tab = ({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ReactNode;
}): ReactNode => {
  const [path] = useLocation();
  const isHere = path === href || path.startsWith(`${href}/`);
  return (
    <Link href={href} className="tab" aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  );
};

/** What waits for a person. */
const UnknownCount = (): ReactNode => {
  const { data } = useUnknowns();
  if (data === undefined || data.items.length === 0) return null;
  const count = `${String(data.items.length)}${data.nextCursor === null ? '' : '+'}`;
  return (
    <>
      {' '}
      <span className="count doubt">
        {count}
        <span className="unseen"> to settle</span>
      </span>
    </>
  );
};

const SilentCount = (): ReactNode => {
  const { data } = useNodes();
  const silent = (data?.items ?? []).filter(
    ({ membership, liveness }) => membership === 'member' && liveness === 'silent',
  );
  if (silent.length === 0) return null;
  return (
    <>
      {' '}
      <span className="count bad">{silent.length} silent</span>
    </>
  );
};
