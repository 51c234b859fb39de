import { describe, expect, it } from '@jest/globals';
import { ASKED_MIN, planRun, type NodeSighting, type OpenRun } from './run.plan.js';

const NOW = 100_000;
const WINDOWS = { strandedMs: 60_000 };
const run = (more: Partial<OpenRun> = {}): OpenRun => ({
  workspace: 'main',
  runId: 'r',
  node: 'n1',
  status: 'queued',
  generation: 0,
  lookAgainAt: 0,
  submittedAt: 0,
  ...more,
});
const ALIVE: NodeSighting = { liveness: 'alive', aliveSince: 0, disagrees: false };
const plan = (more: Partial<OpenRun>, node: Partial<NodeSighting> = {}, asked = ASKED_MIN) =>
  planRun(run(more), { ...ALIVE, ...node }, asked, NOW, WINDOWS);
const advance = (more: Partial<OpenRun>, doubt: string | null = null) => ({
  kind: 'advance',
  run: run(more),
  doubt,
});

describe('a queued run', () => {
  it('is handed to its saga while its node is alive', () =>
    expect(plan({ submittedAt: NOW - 1 })).toEqual(advance({ submittedAt: NOW - 1 })));

  it('is stranded once its node was there for the whole window, and not one millisecond before @FM-17', () => {
    expect(plan({ submittedAt: NOW - 60_000 })).toEqual({
      kind: 'strand',
      run: run({ submittedAt: NOW - 60_000 }),
      since: NOW - 60_000,
    });
    expect(plan({ submittedAt: NOW - 59_999 })).toEqual(advance({ submittedAt: NOW - 59_999 }));
  });

  it('is not stranded while its saga is only behind: it was not yet asked in vain @FM-17', () => {
    const submittedAt = NOW - 60_000;
    expect(plan({ submittedAt }, {}, ASKED_MIN - 1)).toEqual(advance({ submittedAt }));
    expect(plan({ submittedAt }, {}, ASKED_MIN)).toEqual({
      kind: 'strand',
      run: run({ submittedAt }),
      since: submittedAt,
    });
  });

  it('is not stranded by time that its node was away, or that it waited for its session', () => {
    expect(plan({}, { aliveSince: NOW - 1 })).toEqual(advance({}));
    expect(plan({ lookAgainAt: NOW - 1 })).toEqual(advance({ lookAgainAt: NOW - 1 }));
  });

  it('is not stranded after it was dispatched once: the window is for what was never dispatched', () =>
    expect(plan({ generation: 1 })).toEqual(advance({ generation: 1 })));

  it('waits, silently, for a node that is away', () => {
    expect(plan({}, { liveness: 'silent' })).toBeNull();
    expect(plan({}, { liveness: 'absent' })).toBeNull();
  });
});

describe('a claimed run', () => {
  it('is left alone while its node is alive and says the same @FM-19', () =>
    expect(plan({ status: 'running', lookAgainAt: null })).toBeNull());

  it('is looked at, in doubt, when the lease of its node expired', () =>
    expect(plan({ status: 'running', lookAgainAt: null }, { liveness: 'silent' })).toEqual(
      advance({ status: 'running', lookAgainAt: null }, 'the lease of its node expired'),
    ));

  it('is skipped, and counted, when its node can not be judged @FM-19', () => {
    expect(plan({ status: 'running' }, { liveness: 'unclear' })).toEqual({
      kind: 'skipped',
      run: run({ status: 'running' }),
    });
    expect(plan({ status: 'stopping' }, { liveness: 'unclear' })).toEqual({
      kind: 'skipped',
      run: run({ status: 'stopping' }),
    });
  });

  it('is asked about when its node lastingly names other work', () =>
    expect(plan({ status: 'running', lookAgainAt: null }, { disagrees: true })).toEqual(
      advance({ status: 'running', lookAgainAt: null }, 'its node names other work than is shown'),
    ));
});

describe('an unknown run', () => {
  it('is asked about again when its node is there, and rests while it is not', () => {
    expect(plan({ status: 'unknown' })).toEqual(advance({ status: 'unknown' }));
    expect(plan({ status: 'unknown' }, { liveness: 'silent' })).toBeNull();
  });
});

describe('a settled run', () => {
  it.each(['completed', 'failed', 'stopped', 'abandoned'] as const)(
    'that is %s needs nothing',
    (status) => expect(plan({ status })).toBeNull(),
  );
});
