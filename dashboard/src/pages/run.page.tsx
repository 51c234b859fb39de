import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunDetailView } from '../../../libs/contracts/src/views.js';
import { useControls } from '../data/controls.js';
import { phasesOf } from '../data/phases.js';
import { useRun, useTimeline } from '../data/queries.js';
import { OutputPane } from '../parts/output-pane.js';
import { PageTitle } from '../parts/page-title.js';
import { ProgressStrip } from '../parts/progress-strip.js';
import { RunFacts, RunHead } from '../parts/run-head.js';
import { StopNote } from '../parts/stop.js';
import { Timeline } from '../parts/timeline.js';
import { ReadingTrouble } from '../parts/trouble.js';
import { Doubt, SettleControl } from '../parts/unknown-box.js';

export const RunPage = ({ runId }: { readonly runId: string }): ReactNode => {
  const { data: run, error } = useRun(runId);
  const timeline = useTimeline(runId);
  const { stopOf } = useControls();
  if (run === undefined) return <NoRun error={error} />;
  const entries = timeline.data ?? [];
  const stopId = run.stop?.stopId ?? stopOf(runId);
  return (
    <article>
      <RunHead run={run} />
      <ReadingTrouble error={error} shown />
      <ProgressStrip phases={phasesOf(entries)} />
      {run.status === 'unknown' && run.unknown !== null && (
        <section className="doubt-box" aria-labelledby="unknown-title">
          <h2 id="unknown-title">What happened is not known</h2>
          <Doubt unknown={run.unknown} />
          <SettleControl run={run} />
        </section>
      )}
      {stopId !== null && <StopNote run={run} stopId={stopId} key={stopId} />}
      <Evidence run={run} />
      <RunFacts run={run} />
      <div className="columns">
        <section>
          <h2 id="prompt-title">Prompt</h2>
          <pre className="prompt" tabIndex={0} role="region" aria-labelledby="prompt-title">
            {run.prompt}
          </pre>
          <OutputPane run={run} />
        </section>
        <section aria-labelledby="timeline-title">
          <h2 id="timeline-title">Timeline</h2>
          <ReadingTrouble error={timeline.error} shown={entries.length > 0} />
          <Timeline entries={entries} />
        </section>
      </div>
    </article>
  );
};

/** What was learned too late to change how the run ended. */
const Evidence = ({ run }: { readonly run: RunDetailView }): ReactNode => {
  if (run.alarming)
    return (
      <p className="trouble" role="alert">
        Evidence came that a generation ran which was proven not to have been started. See the
        timeline.
      </p>
    );
  if (run.lateEvidence === 0) return null;
  return (
    <p className="note">
      {run.lateEvidence === 1 ? 'A report' : `${String(run.lateEvidence)} reports`} came too late to
      change anything. See the timeline.
    </p>
  );
};

const NoRun = ({ error }: { readonly error: unknown }): ReactNode =>
  error === null ? (
    <>
      <PageTitle>Run</PageTitle>
      <p className="empty">Reading…</p>
    </>
  ) : (
    <>
      <PageTitle>This run can not be shown</PageTitle>
      <ReadingTrouble error={error} shown={false} />
      <p>
        <Link href="/runs">All runs</Link>
      </p>
    </>
  );
