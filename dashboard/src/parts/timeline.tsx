import type { ReactNode } from 'react';
import type { TimelineEntryView } from '../../../libs/contracts/src/views.js';

/** What the run's own stream holds, oldest first: nothing here comes from a read model. */
export const Timeline = ({
  entries,
}: {
  readonly entries: readonly TimelineEntryView[];
}): ReactNode => (
  <ol className="timeline">
    {entries.map((entry, index) => (
      <li key={`${String(entry.sequence)}-${String(index)}`}>
        <div className="row">
          <strong>{entry.type}</strong>
          <time dateTime={entry.at} title={entry.at}>
            {sincePrevious(entries[index - 1], entry)}
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

const sincePrevious = (
  previous: TimelineEntryView | undefined,
  entry: TimelineEntryView,
): string => {
  const clock = new Date(entry.at).toLocaleTimeString();
  if (previous === undefined) return clock;
  const ms = Date.parse(entry.at) - Date.parse(previous.at);
  return `+${ms < 10_000 ? `${String(ms)} ms` : `${String(Math.round(ms / 1_000))} s`}`;
};

/** Left out: what the head of the page shows, and the prompt. */
const HIDDEN = new Set(['runId', 'at', 'prompt', 'fingerprint', 'runClass']);

const Details = ({ data }: { readonly data: TimelineEntryView['data'] }): ReactNode => {
  const shown = Object.entries(data).filter(([name, value]) => !HIDDEN.has(name) && value !== null);
  return (
    <details>
      <summary>
        {shown
          .map(([name, value]) => `${name} ${brief(value)}`)
          .join(' · ')
          .slice(0, 120)}
      </summary>
      <pre>{JSON.stringify(Object.fromEntries(shown), null, 2)}</pre>
    </details>
  );
};

const brief = (value: unknown): string =>
  typeof value === 'object' ? '…' : String(value).slice(0, 40);
