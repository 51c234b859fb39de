import type { ReactNode } from 'react';
import type { TimelineEntryView } from '../../../libs/contracts/src/views.js';
import { duration, eventName } from '../data/words.js';

/** What the run's own stream holds, oldest first: nothing here comes from a read model. */
export const Timeline = ({
  entries,
}: {
  readonly entries: readonly TimelineEntryView[];
}): ReactNode => (
  <ol className="timeline">
    {entries.map((entry, index) => (
      <li key={index}>
        <div className="row">
          <strong title={entry.type}>{eventName(entry.type)}</strong>
          <time dateTime={entry.at} title={new Date(entry.at).toLocaleString()}>
            {when(entries[index - 1], entry)}
          </time>
        </div>
        <div className="by">
          {entry.actor} · {entry.command} · #{entry.sequence}
        </div>
        <Details data={entry.data} />
      </li>
    ))}
  </ol>
);

/** The first one's time of day, then how much later each other was. */
const when = (previous: TimelineEntryView | undefined, entry: TimelineEntryView): string => {
  if (previous === undefined) return new Date(entry.at).toLocaleTimeString();
  return `+${duration(Date.parse(entry.at) - Date.parse(previous.at))}`;
};

/** Left out: what every event has, and what the head of the page shows. */
const HIDDEN = new Set(['runId', 'at', 'runClass']);
/** A summary has one line, or two on a narrow screen. */
const BRIEF_MAX = 100;

const Details = ({ data }: { readonly data: TimelineEntryView['data'] }): ReactNode => {
  const shown = Object.entries(data).filter(([name, value]) => !HIDDEN.has(name) && value !== null);
  if (shown.length === 0) return null;
  const brief = shown.map(([name, value]) => `${name} ${briefly(value)}`).join(' · ');
  return (
    <details>
      <summary>{brief.length > BRIEF_MAX ? `${brief.slice(0, BRIEF_MAX)}…` : brief}</summary>
      <pre>{JSON.stringify(Object.fromEntries(shown), null, 2)}</pre>
    </details>
  );
};

/** No count or size in an event is as large as a moment in ms: these are times. */
const FIRST_MOMENT_MS = Date.UTC(2020);

const briefly = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && value >= FIRST_MOMENT_MS)
    return new Date(value).toLocaleTimeString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `(${Object.keys(value).join(', ')})`;
};
