import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunDetailView } from '../../../libs/contracts/src/views.js';
import { hrefOfRuns } from '../data/run-filter.js';
import { shortId } from '../data/words.js';
import { Fact } from './fact.js';
import { PageTitle } from './page-title.js';
import { Status } from './status.js';
import { StopControl } from './stop.js';
import { Story, waitsWords } from './story.js';
import { Ago } from './time.js';

export const RunHead = ({ run }: { readonly run: RunDetailView }): ReactNode => (
  <header className="run-head">
    <div className="row">
      <PageTitle tab={`${run.status} · run ${shortId(run.runId)}`}>
        <Status status={run.status} /> <code className="id">{run.runId}</code>
      </PageTitle>
      <StopControl run={run} />
    </div>
    <p className="story">{run.status === 'unknown' ? waitsWords(run) : <Story run={run} />}</p>
    <p className="unseen" role="status">
      Run {shortId(run.runId)} is {run.status}
    </p>
  </header>
);

export const RunFacts = ({ run }: { readonly run: RunDetailView }): ReactNode => (
  <dl>
    <Fact name="Agent">
      <Link href={hrefOfRuns({ agent: run.agent })}>{run.agent}</Link> on{' '}
      <Link href={hrefOfRuns({ node: run.node })}>{run.node}</Link> ({run.runtime})
    </Fact>
    <Fact name="Session">
      <Link href={hrefOfRuns({ session: run.sessionId })} title={run.sessionId}>
        <code>{shortId(run.sessionId)}</code>
      </Link>
    </Fact>
    <Fact name="Submitted">
      <Ago at={run.submittedAt} /> by {run.submittedBy}
    </Fact>
    <Fact name="Started">
      <Ago at={run.startedAt} />
    </Fact>
    {run.endedAt !== null && (
      <Fact name="Ended">
        <Ago at={run.endedAt} />
      </Fact>
    )}
    <Fact name="Attempts">
      {run.attempts} of at most {run.attemptsMax}
    </Fact>
    <Fact name="Receipts">
      <Receipts receipts={run.receipts} />
    </Fact>
    {run.exitCode !== null && <Fact name="Exit code">{run.exitCode}</Fact>}
  </dl>
);

/** How far the prompt got, as far as there is evidence: each of the three is another one. */
const Receipts = ({ receipts }: { readonly receipts: RunDetailView['receipts'] }): ReactNode => {
  const known = (
    [
      ['sent', receipts.sentAt],
      ['acknowledged', receipts.ackedAt],
      ['observed', receipts.observedAt],
    ] as const
  ).filter(([, at]) => at !== null);
  if (known.length === 0) return 'no receipt yet';
  return known.map(([name, at], index) => (
    <span key={name}>
      {index > 0 && ' · '}
      {name} <Ago at={at} />
    </span>
  ));
};
