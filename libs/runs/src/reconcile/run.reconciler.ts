import type { Clock, Instant } from '#kernel';
import type { NodeWatch } from './node-watch.js';
import type { OpenRuns } from './open-runs.js';
import {
  planRun,
  type NodeSighting,
  type OpenRun,
  type PlanWindows,
  type RunFinding,
} from './run.plan.js';

/** What a finding leads to. Neither is decided here: the saga and the decider look at the stream. */
export interface RunFindingActions {
  /** Wakes the run's saga. Settles when it has looked, or could not be asked. */
  advance(run: OpenRun, doubt: string | null): Promise<void>;
  /** Fails what could not be dispatched; a run that was dispatched meanwhile is left alone. */
  strand(run: OpenRun, since: Instant): Promise<void>;
}

/** What one pass did. */
export interface RunPass {
  readonly looked: number;
  readonly advanced: number;
  readonly stranded: number;
  /** Runs whose node could not be judged: nothing was concluded. */
  readonly skippedUnreachable: number;
  /** Rows that were left for the next pass. */
  readonly remaining: number;
}

/** Rows of one page, and pages of one pass: 10,000 rows a second are more than one reconciler hands on. */
const PAGE = 100;
const PAGES_MAX = 100;
/** Findings that are followed at a time: each may wait for a node's answer. */
const FOLLOWED_MAX = 256;

/** Finds open runs that need a look, pages until exhausted, and hands them on. */
export class RunReconciler {
  readonly #following = new Set<string>();
  /** How often the saga of a queued run was asked in vain. A memory of this process: after a take-over it starts anew. */
  readonly #asked = new Map<string, number>();

  constructor(
    private readonly runs: OpenRuns,
    private readonly nodes: NodeWatch,
    private readonly actions: RunFindingActions,
    private readonly clock: Clock,
    private readonly windows: PlanWindows,
  ) {}

  /** One pass. What it hands on may still be followed when it settles; the next pass leaves that alone. */
  async pass(): Promise<RunPass> {
    const now = this.clock.now();
    const sightings = await this.#sightings(now);
    const counts = { looked: 0, advanced: 0, stranded: 0, skippedUnreachable: 0, remaining: 0 };
    const seen = new Set<string>();
    let after: OpenRun | null = null;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const rows: readonly OpenRun[] = await this.runs.page({ now, after, limit: PAGE });
      for (const run of rows) {
        counts.looked += 1;
        seen.add(runKey(run));
        const asked = this.#asked.get(runKey(run)) ?? 0;
        const finding = planRun(run, await sightings.of(run), asked, now, this.windows);
        if (finding === null) continue;
        if (finding.kind === 'skipped') counts.skippedUnreachable += 1;
        else if (!this.#follow(finding)) counts.remaining += 1;
        else if (finding.kind === 'strand') counts.stranded += 1;
        else counts.advanced += 1;
      }
      after = rows.at(-1) ?? null;
      if (rows.length < PAGE) break;
    }
    this.nodes.keep(sightings.keys());
    for (const key of this.#asked.keys()) if (!seen.has(key)) this.#asked.delete(key); // It moved on.
    return counts;
  }

  /** Each node is judged once a pass. */
  async #sightings(now: Instant): Promise<{
    of(run: OpenRun): Promise<NodeSighting>;
    keys(): ReadonlySet<string>;
  }> {
    const { rows } = await this.runs.claimed();
    const claimed = byNode(rows);
    const sightings = new Map<string, Promise<NodeSighting>>();
    const of = (run: OpenRun): Promise<NodeSighting> => {
      const key = nodeKey(run);
      const known = sightings.get(key) ?? this.nodes.look(run, claimed.get(key) ?? [], now);
      sightings.set(key, known);
      return known;
    };
    return { of, keys: () => new Set(sightings.keys()) };
  }

  /** @returns false when too much is being followed already. */
  #follow(finding: Exclude<RunFinding, { kind: 'skipped' }>): boolean {
    const { run } = finding;
    const key = runKey(run);
    if (this.#following.has(key)) return true;
    if (this.#following.size >= FOLLOWED_MAX) return false;
    this.#following.add(key);
    const followed =
      finding.kind === 'strand'
        ? this.actions.strand(run, finding.since)
        : this.actions.advance(run, finding.doubt);
    void followed.finally(() => {
      this.#following.delete(key);
      if (run.status === 'queued') this.#asked.set(key, (this.#asked.get(key) ?? 0) + 1);
    });
    return true;
  }
}

const runKey = ({ workspace, runId }: OpenRun): string => `${workspace}/${runId}`;

const nodeKey = ({ workspace, node }: Pick<OpenRun, 'workspace' | 'node'>): string =>
  `${workspace}/${node}`;

const byNode = (rows: readonly OpenRun[]): ReadonlyMap<string, readonly OpenRun[]> => {
  const groups = new Map<string, OpenRun[]>();
  for (const run of rows) {
    const key = nodeKey(run);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return groups;
};
