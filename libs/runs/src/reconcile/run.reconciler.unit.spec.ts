import { describe, expect, it } from '@jest/globals';
import type { LeaseVerdict } from '#nodes/contract';
import { NodeWatch } from './node-watch.js';
import type { OpenRuns } from './open-runs.js';
import type { OpenRun } from './run.plan.js';
import { RunReconciler } from './run.reconciler.js';

const NOTHING_OPEN = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const lease = (openHash: string): LeaseVerdict => ({
  kind: 'alive',
  ageMs: 0,
  lease: {
    journalId: 'j',
    incarnation: 'i',
    recovering: false,
    openCount: 0,
    openHash,
    running: 0,
    maxRuns: 16,
    waiting: 0,
  },
});
const run = (runId: string, more: Partial<OpenRun> = {}): OpenRun => ({
  workspace: 'main',
  runId,
  node: 'n1',
  status: 'running',
  generation: 1,
  lookAgainAt: null,
  submittedAt: 0,
  ...more,
});

/** A read model in memory, and a reconciler over it; time stands where the test puts it. */
class Bench {
  now = 1_000;
  verdict: LeaseVerdict = lease(NOTHING_OPEN);
  readonly advanced: [string, string | null][] = [];
  readonly stranded: string[] = [];
  release: () => void = () => undefined;
  hold = false;
  readonly reconciler: RunReconciler;

  constructor(public rows: readonly OpenRun[]) {
    const runs: OpenRuns = {
      page: ({ after, limit }) => {
        const start =
          after === null ? 0 : this.rows.findIndex(({ runId }) => runId === after.runId) + 1;
        return Promise.resolve(this.rows.slice(start, start + limit));
      },
      claimed: () =>
        Promise.resolve({
          rows: this.rows.filter(({ status }) => status === 'running'),
          position: 1,
        }),
    };
    const watch = new NodeWatch({ judge: () => Promise.resolve(this.verdict) }, 600);
    const actions = {
      advance: async ({ runId }: OpenRun, doubt: string | null) => {
        this.advanced.push([runId, doubt]);
        if (this.hold)
          await new Promise<void>((resolve) => {
            this.release = resolve;
          });
      },
      strand: ({ runId }: OpenRun) => {
        this.stranded.push(runId);
        return Promise.resolve();
      },
    };
    this.reconciler = new RunReconciler(
      runs,
      watch,
      actions,
      { now: () => this.now },
      { strandedMs: 60_000 },
    );
  }

  /** Each after what the one before handed on has come to an end. */
  async passes(count: number): Promise<void> {
    for (let pass = 0; pass < count; pass += 1) {
      await this.reconciler.pass();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('the reconciler', () => {
  it('pages until everything was looked at', async () => {
    const bench = new Bench(
      Array.from({ length: 250 }, (_, index) => run(`r${String(index).padStart(3, '0')}`)),
    );
    bench.verdict = { kind: 'expired', ageMs: 7_000 };
    expect(await bench.reconciler.pass()).toMatchObject({
      looked: 250,
      advanced: 250,
      remaining: 0,
    });
    expect(new Set(bench.advanced.map(([runId]) => runId)).size).toBe(250);
  });

  it('does not hand on again what it still follows', async () => {
    const bench = new Bench([run('r')]);
    bench.verdict = { kind: 'expired', ageMs: 7_000 };
    bench.hold = true;
    await bench.reconciler.pass();
    await bench.reconciler.pass();
    expect(bench.advanced).toHaveLength(1);
    bench.release();
    await new Promise((resolve) => setImmediate(resolve));
    await bench.reconciler.pass();
    expect(bench.advanced).toHaveLength(2);
  });

  it('counts what it can not judge, and concludes nothing @FM-19', async () => {
    const bench = new Bench([run('r'), run('s', { status: 'queued', lookAgainAt: 0 })]);
    bench.verdict = { kind: 'cannot-tell', why: 'NATS is away' };
    expect(await bench.reconciler.pass()).toMatchObject({ skippedUnreachable: 2, advanced: 0 });
    expect(bench.advanced).toEqual([]);
  });

  it('takes a difference between lease and rows seriously only when it lasts unchanged', async () => {
    const bench = new Bench([run('r')]);
    await bench.reconciler.pass();
    bench.now += 599;
    await bench.reconciler.pass();
    expect(bench.advanced).toEqual([]);
    bench.now += 1;
    await bench.reconciler.pass();
    expect(bench.advanced).toEqual([['r', 'its node names other work than is shown']]);
  });

  it('starts to count anew when the difference changes: work comes and goes', async () => {
    const bench = new Bench([run('r')]);
    await bench.reconciler.pass();
    bench.now += 600;
    bench.rows = [run('other')];
    await bench.reconciler.pass();
    expect(bench.advanced).toEqual([]);
  });

  it('leaves a node alone that still recovers', async () => {
    const bench = new Bench([run('r')]);
    const verdict = lease(NOTHING_OPEN);
    bench.verdict =
      verdict.kind === 'alive'
        ? { ...verdict, lease: { ...verdict.lease, recovering: true } }
        : verdict;
    await bench.reconciler.pass();
    bench.now += 6_000;
    await bench.reconciler.pass();
    expect(bench.advanced).toEqual([]);
  });

  it('strands what was never dispatched while its node was there @FM-17', async () => {
    const bench = new Bench([run('r', { status: 'queued', generation: 0, lookAgainAt: 0 })]);
    await bench.passes(2);
    bench.now += 59_999;
    await bench.reconciler.pass();
    expect(bench.stranded).toEqual([]);
    bench.now += 1;
    await bench.reconciler.pass();
    expect(bench.stranded).toEqual(['r']);
  });

  it('does not strand what waits its turn behind others: no saga has come to it yet @FM-17', async () => {
    const bench = new Bench([run('r', { status: 'queued', generation: 0, lookAgainAt: 0 })]);
    bench.hold = true; // The saga is at work on others, and does not answer.
    await bench.passes(3);
    bench.now += 600_000;
    await bench.passes(3);
    expect(bench.stranded).toEqual([]);
    bench.hold = false;
    bench.release();
    await bench.passes(3); // Now it answers, and the run stays where it is.
    expect(bench.stranded).toEqual(['r']);
  });

  it('forgets how often it asked about a run that moved on', async () => {
    const queued = run('r', { status: 'queued', generation: 0, lookAgainAt: 0 });
    const other = run('s'); // Keeps its node in sight.
    const bench = new Bench([queued, other]);
    await bench.passes(3);
    bench.rows = [other];
    await bench.passes(1);
    bench.rows = [queued, other];
    bench.now += 60_000;
    await bench.passes(3);
    expect(bench.stranded).toEqual([]);
    await bench.passes(1);
    expect(bench.stranded).toEqual(['r']);
  });

  it('does not strand by time in which the node was away', async () => {
    const bench = new Bench([run('r', { status: 'queued', generation: 0, lookAgainAt: 0 })]);
    await bench.reconciler.pass();
    bench.verdict = { kind: 'expired', ageMs: 7_000 };
    bench.now += 60_000;
    await bench.reconciler.pass();
    bench.verdict = lease(NOTHING_OPEN);
    await bench.reconciler.pass();
    expect(bench.stranded).toEqual([]);
  });
});
