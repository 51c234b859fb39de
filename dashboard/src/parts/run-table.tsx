import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { Status } from './status.js';
import { Ago } from './time.js';

export const RunTable = ({ runs }: { readonly runs: readonly RunView[] }): ReactNode => (
  <table>
    <thead>
      <tr>
        <th>Run</th>
        <th>Status</th>
        <th>Agent</th>
        <th>Node</th>
        <th>Submitted</th>
        <th>What it waits for, or how it ended</th>
      </tr>
    </thead>
    <tbody>
      {runs.map((run) => (
        <tr key={run.runId}>
          <td>
            <Link href={`/runs/${run.runId}`} title={run.runId}>
              <code>{run.runId.slice(0, 8)}</code>
            </Link>
          </td>
          <td>
            <Status status={run.status} />
          </td>
          <td>{run.agent}</td>
          <td>{run.node}</td>
          <td>
            <Ago at={run.submittedAt} />
          </td>
          <td>{storyOf(run)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** One line on where a run stands. */
export const storyOf = (run: RunView): string => {
  if (run.unknown !== null) return run.unknown.reason;
  if (run.waitsFor !== null) return `waits for ${run.waitsFor}`;
  const code = run.code === null ? '' : `${run.code}, `;
  return run.settledBy === null ? code : `${code}settled by ${run.settledBy}`;
};
