import type { Commit } from '#event-store';
import { systemClock, type Logger, type Metrics, type ReadinessCheck } from '#platform';
import { parseTraceparent, tracing } from '#tracing';
import type { ProjectionObserver, ProjectionState, ProjectionStatus } from '#postgres';

export interface WatchedProjections {
  readonly statuses: readonly ProjectionStatus[];
}

/** The last sequence of the stream, and when it was first seen to be there, on the process's monotonic clock. */
interface End {
  readonly sequence: number;
  readonly seenAtMs: number;
}

const STATES: readonly ProjectionState[] = [
  'opening',
  'following',
  'building',
  'standby',
  'failing',
  'stopped',
];
/** Ends of the stream that are remembered until all rows contain them: a look a second for ten minutes. */
const ENDS_MAX = 600;

/** Turns what the projections do into logs and metrics, and tells how far behind the stream they are. */
export class ProjectionWatch implements ProjectionObserver {
  private ends: End[] = [];
  private readonly events;
  private readonly rows;
  private readonly seconds;
  private readonly findings;
  private readonly problems;
  private readonly batch;

  constructor(
    private readonly logger: Logger,
    metrics: Metrics,
    private readonly nowMs: () => number,
  ) {
    this.events = metrics.counter('projection_commits_total', 'Commits that were projected.', [
      'projection',
    ]);
    this.rows = metrics.counter('projection_rows_total', 'Rows that were written.', ['projection']);
    this.seconds = metrics.seconds('projection_batch_seconds', 'How long a batch took.', [
      'projection',
    ]);
    this.batch = metrics.gauge('projection_batch_commits', 'Commits in the newest batch.', [
      'projection',
    ]);
    this.findings = metrics.counter('projection_findings_total', 'Contradictions that were met.', [
      'projection',
    ]);
    this.problems = metrics.counter('projection_problems_total', 'Failures, tried again.', [
      'projection',
    ]);
  }

  written(...[projection, { commits, rows, ms }]: Parameters<ProjectionObserver['written']>): void {
    this.events.inc({ projection }, commits.length);
    this.rows.inc({ projection }, rows);
    this.batch.set({ projection }, commits.length);
    this.seconds.observe({ projection }, ms / 1_000);
    if (tracing.isOn && rows > 0) traceBatch(projection, commits, rows, ms);
  }

  finding(projection: string, finding: string): void {
    this.findings.inc({ projection });
    this.logger.error({ projection, finding }, 'a projection was stopped');
  }

  problem(projection: string | undefined, err: unknown): void {
    this.problems.inc({ projection: projection ?? 'all' });
    this.logger.warn({ projection, err }, 'projecting failed, and is tried again');
  }

  /** Notes where the stream ends now. */
  sawEnd(sequence: number): void {
    const newest = this.ends[this.ends.length - 1];
    if (newest !== undefined && sequence < newest.sequence) this.ends = []; // It was replaced.
    if (newest?.sequence !== sequence) this.ends.push({ sequence, seenAtMs: this.nowMs() });
    this.ends = this.ends.slice(-ENDS_MAX);
  }

  /** How long ago the stream went past a position, ms; 0 when it did not. */
  lagMs(position: number): number {
    const passed = this.ends.find(({ sequence }) => sequence > position);
    return passed === undefined ? 0 : this.nowMs() - passed.seenAtMs;
  }

  /** Metrics that are looked up when somebody asks for them. */
  observe(metrics: Metrics, { statuses }: WatchedProjections): void {
    const position = metrics.gauge('projection_position', 'Stream sequence that rows contain.', [
      'projection',
    ]);
    const lag = metrics.gauge('projection_lag_seconds', 'How long rows lack the newest events.', [
      'projection',
    ]);
    const state = metrics.gauge('projection_state', '1 for the state that it is in.', [
      'projection',
      'state',
    ]);
    for (const status of statuses) {
      const { name: projection } = status;
      position.set({ projection }, status.position);
      lag.set({ projection }, this.lagMs(status.position) / 1_000);
      for (const one of STATES) state.set({ projection, state: one }, status.state === one ? 1 : 0);
    }
  }

  /** Ready when every projection is kept up to date: by this process, or by another one. */
  readiness({ statuses }: WatchedProjections, lagMaxMs: number): ReadinessCheck {
    const detail = statuses.map((status) => ({ ...status, lagMs: this.lagMs(status.position) }));
    const isKept = ({ state, lagMs }: (typeof detail)[number]): boolean =>
      state === 'standby' || (state === 'following' && lagMs <= lagMaxMs);
    return { ok: detail.every(isKept), detail };
  }
}

/** Traces that one batch's span links. One that concerns more of them shows these, and counts the rest. */
const LINKS_MAX = 64;

/** A batch belongs to many traces, so it is one of its own, and links those that are recorded. Without any there is none. */
const traceBatch = (
  projection: string,
  commits: readonly Commit[],
  rows: number,
  ms: number,
): void => {
  const traces = commits.flatMap(({ metadata: { traceparent } }) =>
    traceparent !== undefined && parseTraceparent(traceparent)?.sampled === true
      ? [traceparent]
      : [],
  );
  if (traces.length === 0) return;
  const span = tracing.open({
    name: 'project',
    kind: 'consumer',
    begins: true,
    links: traces.slice(0, LINKS_MAX),
    startedAt: Math.round(systemClock.now() - ms),
    facts: {
      'holdfast.projection': projection,
      'holdfast.commits': commits.length,
      'holdfast.rows': rows,
    },
  });
  span.end();
};
