import type { ReactNode } from 'react';
import type { TimelineEntryView } from '../../../libs/contracts/src/views.js';
import { summaryOf } from '../data/event-summary.js';
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

const Details = ({ data }: { readonly data: TimelineEntryView['data'] }): ReactNode => (
  <details>
    <summary>{summaryOf(data)}</summary>
    <pre>{JSON.stringify(data, null, 2)}</pre>
  </details>
);
