import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { SystemView, SystemWindowsView } from '../../../libs/contracts/src/system.view.js';
import {
  SOURCES,
  ofProjection,
  ofRequests,
  ofRun,
  ofSaga,
  standsSince,
} from '../data/system-judge.js';
import { duration, shortId } from '../data/words.js';
import { Status } from './status.js';
import { Item, Part } from './verdict.js';

type Windows = SystemWindowsView | null;

/** How far the read models are behind the stream, and where both stand. */
export const Lag = ({ projections }: Pick<SystemView, 'projections'>): ReactNode => (
  <Part title="Read models" found={projections} source={SOURCES.projections}>
    {(items) => (
      <ul className="items">
        {items.map((one) => (
          <Item
            key={`${one.name} ${one.generation}`}
            level={ofProjection(one).level}
            name={one.name}
          >
            {one.lag === 0
              ? 'level with the stream'
              : `${duration(one.lagMs)} behind, ${one.lag.toLocaleString('en')} events`}{' '}
            · at {one.position.toLocaleString('en')} of {one.end.toLocaleString('en')} · epoch{' '}
            {one.epoch}, generation {one.generation}
            {one.finding !== null && ` · stopped: ${one.finding}`}
          </Item>
        ))}
      </ul>
    )}
  </Part>
);

export const Sagas = ({
  sagas,
  windows,
}: Pick<SystemView, 'sagas'> & { readonly windows: Windows }): ReactNode => (
  <Part title="Sagas" found={sagas} source={SOURCES.sagas}>
    {(items) => (
      <ul className="items">
        {items.map((saga) => (
          <Item key={saga.name} level={ofSaga(saga, windows).level} name={saga.name}>
            {saga.waiting + saga.inWork === 0
              ? 'nothing to do'
              : `${saga.waiting.toLocaleString('en')} wait, ${String(saga.inWork)} in work, the oldest for ${duration(saga.oldestMs)}`}
            {saga.again > 0 && ` · ${String(saga.again)} tried more than once`}
          </Item>
        ))}
      </ul>
    )}
  </Part>
);

export const Oldest = ({
  runs,
  windows,
  now,
}: {
  readonly runs: SystemView['oldestRuns'];
  readonly windows: Windows;
  readonly now: number;
}): ReactNode => (
  <Part title="Oldest open runs" found={runs} source={SOURCES.runs}>
    {(items) =>
      items.length === 0 ? (
        <p className="empty">No run is open.</p>
      ) : (
        <ul className="items">
          {items.map((run) => (
            <Item
              key={run.status}
              level={ofRun(run, windows, now).level}
              name={
                <Link href={`/runs/${run.runId}`} title={run.runId}>
                  <code>{shortId(run.runId)}</code>
                </Link>
              }
            >
              <Status status={run.status} /> for {duration(now - Date.parse(standsSince(run)))}
              {run.waitsFor !== null && ` · waits for ${run.waitsFor}`}
            </Item>
          ))}
        </ul>
      )
    }
  </Part>
);

/** The slowest routes are enough. */
const ROUTES_SHOWN = 8;

export const Requests = ({ requests }: Pick<SystemView, 'requests'>): ReactNode => (
  <Part title="Requests" found={{ value: requests, why: null }} source={SOURCES.requests}>
    {(items) => (
      <ul className="items">
        {items.slice(0, ROUTES_SHOWN).map((one) => (
          <Item
            key={one.route}
            level={ofRequests(one).level}
            name={<code>{one.route.replace('/v1', '')}</code>}
          >
            {duration(one.p50Ms)} at p50, {duration(one.p99Ms)} at p99 · {one.count} requests
          </Item>
        ))}
      </ul>
    )}
  </Part>
);
