import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { hrefOfRuns } from '../data/run-filter.js';
import { shortId } from '../data/words.js';
import { Status } from './status.js';
import { Story } from './story.js';
import { Ago, Took } from './time.js';

/** On a narrow screen each row stands as a card, and its cells say what they are themselves. */
export const RunTable = ({ runs }: { readonly runs: readonly RunView[] }): ReactNode => (
  <table className="runs" aria-label="Runs">
    <thead>
      <tr>
        <th scope="col">Run</th>
        <th scope="col">Status</th>
        <th scope="col">Agent</th>
        <th scope="col">Node</th>
        <th scope="col">Submitted</th>
        <th scope="col">Took</th>
        <th scope="col">What it waits for, or how it ended</th>
      </tr>
    </thead>
    <tbody>
      {runs.map((run) => (
        <Row run={run} key={run.runId} />
      ))}
    </tbody>
  </table>
);

const Row = ({ run }: { readonly run: RunView }): ReactNode => (
  <tr>
    <th scope="row">
      <Link href={`/runs/${run.runId}`} title={run.runId}>
        <code>{shortId(run.runId)}</code>
      </Link>
    </th>
    <td>
      <Status status={run.status} />
    </td>
    <td className="name" data-label="Agent">
      <Link href={hrefOfRuns({ agent: run.agent })} title={`Runs of ${run.agent}`}>
        {run.agent}
      </Link>
    </td>
    <td className="name" data-label="Node">
      <Link href={hrefOfRuns({ node: run.node })} title={`Runs on ${run.node}`}>
        {run.node}
      </Link>
    </td>
    <td className="time" data-label="Submitted">
      <Ago at={run.submittedAt} />
    </td>
    <td className="time" data-label="Took">
      <RunTook run={run} />
    </td>
    <td className="story">
      <Story run={run} />
    </td>
  </tr>
);

/** From its first start to its end, or to where it was lost sight of: only what surely goes on is counted on. */
const RunTook = ({ run }: { readonly run: RunView }): ReactNode => {
  if (run.startedAt === null) return '–';
  const end = run.unknown?.since ?? run.endedAt;
  return <Took from={Date.parse(run.startedAt)} to={end === null ? null : Date.parse(end)} />;
};
