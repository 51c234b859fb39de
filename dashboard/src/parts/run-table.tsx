import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { hrefOfRuns } from '../data/run-filter.js';
import { shortId } from '../data/words.js';
import { Status } from './status.js';
import { Story } from './story.js';
import { Ago, Took } from './time.js';

/**
 * On a narrow screen each row stands as a card, and its cells say what they are themselves. The roles are written down
 * because a table that is laid out as something else is no longer one for those who hear it.
 */
export const RunTable = ({ runs }: { readonly runs: readonly RunView[] }): ReactNode => (
  <table className="runs" role="table" aria-label="Runs">
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">
          Run
        </th>
        <th role="columnheader" scope="col">
          Status
        </th>
        <th role="columnheader" scope="col">
          Agent
        </th>
        <th role="columnheader" scope="col">
          Node
        </th>
        <th role="columnheader" scope="col">
          Submitted
        </th>
        <th role="columnheader" scope="col">
          Took
        </th>
        <th role="columnheader" scope="col">
          What it waits for, or how it ended
        </th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      {runs.map((run) => (
        <Row run={run} key={run.runId} />
      ))}
    </tbody>
  </table>
);

const Row = ({ run }: { readonly run: RunView }): ReactNode => (
  <tr role="row">
    <th role="rowheader" scope="row">
      <Link href={`/runs/${run.runId}`} title={run.runId}>
        <code>{shortId(run.runId)}</code>
      </Link>
    </th>
    <td role="cell">
      <Status status={run.status} />
    </td>
    <td role="cell" className="name" data-label="Agent">
      <Link href={hrefOfRuns({ agent: run.agent })} title={`Runs of ${run.agent}`}>
        {run.agent}
      </Link>
    </td>
    <td role="cell" className="name" data-label="Node">
      <Link href={hrefOfRuns({ node: run.node })} title={`Runs on ${run.node}`}>
        {run.node}
      </Link>
    </td>
    <td role="cell" className="time" data-label="Submitted">
      <Ago at={run.submittedAt} />
    </td>
    <td role="cell" className="time" data-label="Took">
      <RunTook run={run} />
    </td>
    <td role="cell" className="story">
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
