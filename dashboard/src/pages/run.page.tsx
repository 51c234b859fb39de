import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page, RunDetailView, TimelineEntryView } from '../../../libs/contracts/src/views.js';
import { useSession } from '../data/session.js';
import { OutputPane } from '../parts/output-pane.js';
import { ResolveForm, StopButton } from '../parts/run-actions.js';
import { storyOf } from '../parts/run-table.js';
import { Status } from '../parts/status.js';
import { Ago } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { Trouble } from '../parts/trouble.js';

export const RunPage = ({ runId }: { readonly runId: string }): ReactNode => {
  const { api } = useSession();
  const run = useQuery({
    queryKey: ['run', runId],
    queryFn: () => api.get<RunDetailView>(`/runs/${runId}`),
  });
  const timeline = useQuery({
    queryKey: ['run', runId, 'timeline'],
    queryFn: () => api.get<Page<TimelineEntryView>>(`/runs/${runId}/timeline`),
  });
  if (run.data === undefined)
    return run.error === null ? <p className="empty">Reading…</p> : <Trouble error={run.error} />;
  return (
    <article>
      <RunHead run={run.data} />
      <Trouble error={run.error} />
      {run.data.unknown !== null && <UnknownBox run={run.data} />}
      {run.data.alarming && (
        <p className="trouble" role="alert">
          Evidence came that a generation ran which was proven not to have been started. See the
          timeline.
        </p>
      )}
      <div className="columns">
        <section aria-labelledby="timeline-title">
          <h2 id="timeline-title">Timeline</h2>
          <Trouble error={timeline.error} />
          <Timeline entries={timeline.data?.items ?? []} />
        </section>
        <section aria-labelledby="output-title">
          <h2>Prompt</h2>
          <pre className="prompt">{run.data.prompt}</pre>
          <h2 id="output-title">Output</h2>
          <OutputPane runId={runId} />
        </section>
      </div>
    </article>
  );
};

const RunHead = ({ run }: { readonly run: RunDetailView }): ReactNode => (
  <header className="run-head">
    <div className="row">
      <h1>
        <Status status={run.status} /> <code>{run.runId}</code>
      </h1>
      <StopButton run={run} />
    </div>
    <p className="story">{storyOf(run)}</p>
    <dl>
      <Fact name="Agent">{`${run.agent} on ${run.node} (${run.runtime})`}</Fact>
      <Fact name="Session">
        <code>{run.sessionId}</code>
      </Fact>
      <Fact name="Submitted">
        <Ago at={run.submittedAt} /> by {run.submittedBy}
      </Fact>
      <Fact name="Started">
        <Ago at={run.startedAt} />
      </Fact>
      <Fact name="Ended">
        <Ago at={run.endedAt} />
      </Fact>
      <Fact name="Attempts">{`${String(run.attempts)} of at most ${String(run.attemptsMax)}`}</Fact>
      <Fact name="Receipts">
        sent <Ago at={run.receipts.sentAt} /> · acknowledged <Ago at={run.receipts.ackedAt} /> ·
        observed <Ago at={run.receipts.observedAt} />
      </Fact>
      {run.exitCode !== null && <Fact name="Exit code">{run.exitCode}</Fact>}
    </dl>
  </header>
);

const Fact = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const UnknownBox = ({ run }: { readonly run: RunDetailView }): ReactNode =>
  run.unknown && (
    <section className="unknown-box" aria-labelledby="unknown-title">
      <h2 id="unknown-title">What happened is not known</h2>
      <p>
        <code>{run.unknown.code}</code> · witness: {run.unknown.witness} · since{' '}
        <Ago at={run.unknown.since} /> · last heard of <Ago at={run.unknown.lastHeardAt} />
      </p>
      <p>{run.unknown.reason}</p>
      <p>{run.unknown.advice}</p>
      <ResolveForm run={run} />
    </section>
  );
