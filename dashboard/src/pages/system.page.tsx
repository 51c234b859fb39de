import type { ReactNode } from 'react';
import type { SystemView } from '../../../libs/contracts/src/system.view.js';
import { useNow } from '../data/clock.js';
import { useSystem } from '../data/queries.js';
import { verdictsOn } from '../data/system-judge.js';
import { PageTitle } from '../parts/page-title.js';
import { Lag, Oldest, Requests, Sagas } from '../parts/system-lag.js';
import { Durability, Holders, Nodes, Services, Stores } from '../parts/system-who.js';
import { Ago } from '../parts/time.js';
import { ReadingTrouble } from '../parts/trouble.js';
import { LevelSign } from '../parts/verdict.js';

/** What is slow, at a glance; below it everything that was looked at. */
export const SystemPage = (): ReactNode => {
  const { data: system, error } = useSystem();
  return (
    <>
      <PageTitle>What is slow</PageTitle>
      <ReadingTrouble error={error} shown={system !== undefined} />
      {system === undefined && error === null && <p className="empty">Looking…</p>}
      {system !== undefined && <Shown system={system} isOld={error !== null} />}
    </>
  );
};

const Shown = ({
  system,
  isOld,
}: {
  readonly system: SystemView;
  readonly isOld: boolean;
}): ReactNode => {
  const now = useNow();
  return (
    <>
      <Headline system={system} now={now} />
      <p className="hint">
        Looked at <Ago at={system.at} />
        {isOld && ', and not again since: the server does not answer'}. What could not be looked at
        is shown as not known, never as fine.
      </p>
      <div className="system">
        <Lag projections={system.projections} />
        <Sagas sagas={system.sagas} windows={system.windows.value} />
        <Oldest runs={system.oldestRuns} windows={system.windows.value} now={now} />
        <Nodes nodes={system.nodes} windows={system.windows.value} now={now} />
        <Holders holders={system.holders} />
        <Services system={system} />
        <Durability readiness={system.readiness} />
        <Stores broker={system.broker} database={system.database} />
        <Requests requests={system.requests} />
      </div>
    </>
  );
};

/** The one thing to see first. Said again, to those who hear it, only when the words change. */
const Headline = ({
  system,
  now,
}: {
  readonly system: SystemView;
  readonly now: number;
}): ReactNode => {
  const verdicts = verdictsOn(system, now);
  const worst = verdicts[0]?.level ?? 'fine';
  return (
    <section className={`headline is-level-${worst}`} aria-labelledby="headline-title">
      <h2 id="headline-title" role="status">
        <LevelSign level={worst} /> {TITLES[worst]}
      </h2>
      {verdicts.length > 0 && (
        <ul>
          {verdicts.map(({ level, words }) => (
            <li key={words.replace(/\d+/g, '')} className="row-verdict">
              <LevelSign level={level} /> <span>{words}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const TITLES = {
  fine: 'Nothing is slow.',
  slow: 'Something is slow.',
  stuck: 'Something does not go on.',
  unseen: 'Not all of it could be looked at.',
} as const;
