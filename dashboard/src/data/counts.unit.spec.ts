import { describe, expect, it } from '@jest/globals';
import type { Page, RunView } from '../../../libs/contracts/src/views.js';
import { countRuns } from './counts.js';
import type { RunStatus } from './run-status.js';

const page = (nextCursor: string | null, ...runs: readonly (readonly [string, RunStatus])[]) =>
  ({
    items: runs.map(([runId, status]) => ({ runId, status })),
    nextCursor,
  }) as unknown as Page<RunView>;
const counted = (counts: ReturnType<typeof countRuns>) =>
  Object.fromEntries([...counts.byStatus].filter(([, count]) => count > 0));

describe('the counts of runs', () => {
  it('count a run once, though it stands on both pages', () => {
    const newest = page(null, ['a', 'running'], ['b', 'completed']);
    const counts = countRuns(newest, page(null, ['a', 'running']));
    expect(counted(counts)).toEqual({ running: 1, completed: 1 });
    expect(counts).toMatchObject({ total: 2, onlyNewest: false, moreOpen: false });
  });

  it('count open runs that are older than the newest', () => {
    const newest = page('more', ['b', 'completed'], ['c', 'failed']);
    const counts = countRuns(newest, page(null, ['old', 'unknown']));
    expect(counted(counts)).toEqual({ unknown: 1, completed: 1, failed: 1 });
    expect(counts).toMatchObject({ total: 3, onlyNewest: true, moreOpen: false });
  });

  it('believe the page that was read later, of a run that changed in between', () => {
    const counts = countRuns(page('more', ['a', 'running']), page('more', ['a', 'unknown']));
    expect(counted(counts)).toEqual({ unknown: 1 });
    expect(counts).toMatchObject({ total: 1, onlyNewest: true, moreOpen: true });
  });
});
