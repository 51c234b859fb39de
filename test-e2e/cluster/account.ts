import type { Commit } from '#event-store';
import { isSettled } from '#runs/contract';
import type { LedgerLine } from '../support/ledger.js';
import { brokenChains, runsOf } from '../support/stream.js';
import type { Submission } from './load.js';

/** What callers, agents and the stream say of the same runs, each by itself. */
export interface Evidence {
  readonly submissions: readonly Submission[];
  readonly ledger: readonly LedgerLine[];
  readonly commits: readonly Commit[];
}

/** The account of a proof. `lost`, `doubled` and `broken` must be empty; each entry says what is wrong. */
export interface Account {
  readonly submitted: number;
  readonly accepted: number;
  /** Runs whose program noted its start, outside of the system. */
  readonly started: number;
  readonly completed: number;
  /** Runs that were ever unknown, and those that still are. */
  readonly everUnknown: number;
  readonly stillUnknown: number;
  /** Ends that are none of `completed`, by status and code. */
  readonly otherEnds: Readonly<Record<string, number>>;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly broken: readonly string[];
}

/** Compares the three. Pure: what it finds does not depend on when, or by whom, it is asked. */
export const accountOf = ({ submissions, ledger, commits }: Evidence): Account => {
  const runs = runsOf(commits);
  const events = commits.flatMap((commit) => commit.events);
  const starts = countsOf(
    ledger.filter(({ kind }) => kind === 'initial').map(({ work }) => work.split('/')[0] ?? ''),
  );
  const submitted = countsOf(
    events
      .filter(({ type }) => type === 'RunSubmitted')
      .map(({ data }) => (data as { readonly runId: string }).runId),
  );
  const accepted = submissions.filter(({ acceptedAt }) => acceptedAt !== undefined);
  const acceptedIds = accepted.flatMap(({ runIds }) => runIds);
  const lost: string[] = [];
  const doubled: string[] = [];
  const otherEnds: Record<string, number> = {};
  let completed = 0;
  let stillUnknown = 0;
  for (const runId of acceptedIds) {
    const run = runs.get(runId);
    const status = run?.status ?? 'none';
    if (run === undefined || status === 'none') lost.push(`${runId} was accepted and is not there`);
    else if (!isSettled(status)) lost.push(`${runId} was accepted and is still ${status}`);
    if (status === 'unknown') stillUnknown += 1;
    if (status === 'completed') {
      completed += 1;
      if (!starts.has(runId)) lost.push(`${runId} is completed, and its program never started`);
    } else otherEnds[status] = (otherEnds[status] ?? 0) + 1;
  }
  for (const [runId, count] of starts)
    if (count > 1) doubled.push(`${runId} was started ${String(count)} times`);
  for (const [runId, count] of submitted)
    if (count > 1) doubled.push(`${runId} was submitted ${String(count)} times`);
  for (const { key, runIds } of submissions)
    if (runIds.length > 1) doubled.push(`${key} became ${runIds.join(' and ')}`);
  if (new Set(acceptedIds).size !== acceptedIds.length) doubled.push('two keys share a run');
  const unknown = new Set(
    commits
      .filter((commit) => commit.events.some(({ type }) => type === 'RunOutcomeUnknown'))
      .map(({ ref }) => ref.id),
  );
  return {
    submitted: submissions.length,
    accepted: accepted.length,
    started: starts.size,
    completed,
    everUnknown: unknown.size,
    stillUnknown,
    otherEnds,
    lost,
    doubled,
    broken: brokenChains(commits),
  };
};

const countsOf = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};
