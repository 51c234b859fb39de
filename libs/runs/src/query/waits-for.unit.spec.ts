import { describe, expect, it } from '@jest/globals';
import type { LeaseBody, LeaseVerdict } from '#nodes/contract';
import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES, type RunStatus } from '../contract/index.js';
import { adviceFor } from './unknown-advice.js';
import { waitsFor, type RunSurroundings } from './waits-for.js';

const lease = (over: Partial<LeaseBody> = {}): LeaseVerdict => ({
  kind: 'alive',
  ageMs: 10,
  lease: {
    journalId: 'j1',
    incarnation: 'i1',
    recovering: false,
    openCount: 0,
    openHash: '',
    running: 0,
    maxRuns: 2,
    waiting: 0,
    ...over,
  },
});
const SILENT: LeaseVerdict = { kind: 'expired', ageMs: 9_000 };
const UNCLEAR: LeaseVerdict = { kind: 'cannot-tell', why: 'just connected' };
const nobody: RunSurroundings = { lease: undefined, queue: undefined, holder: undefined };
const run = (status: RunStatus, over: { admitted?: boolean; stopId?: string } = {}) => ({
  runId: 'r1',
  node: 'n1',
  status,
  admitted: over.admitted ?? true,
  stopId: over.stopId ?? null,
});

describe('what a run waits for', () => {
  it.each<[string, ReturnType<typeof run>, Partial<RunSurroundings>, string]>([
    ['queued, alive', run('queued'), { lease: lease() }, 'its dispatch to node n1'],
    ['queued, silent', run('queued'), { lease: SILENT }, 'node n1 to come online'],
    ['queued, never heard', run('queued'), { lease: { kind: 'never' } }, 'node n1 to come online'],
    ['queued, unclear', run('queued'), { lease: UNCLEAR }, 'its dispatch to node n1'],
    [
      'queued, recovering',
      run('queued'),
      { lease: lease({ recovering: true }) },
      'node n1, which reads its journal',
    ],
    [
      'queued, stopped after a restore',
      run('queued', { stopId: 's' }),
      {},
      'node n1 to answer for it: it was stopped after a restore',
    ],
    [
      'not admitted, place unknown',
      run('queued', { admitted: false }),
      {},
      'its place in the session',
    ],
    [
      'first in the queue',
      run('queued', { admitted: false }),
      { queue: { activeRunId: 'r0', queue: ['r1'] }, holder: { status: 'running', fenced: false } },
      'run r0, which holds the session',
    ],
    [
      'third in the queue',
      run('queued', { admitted: false }),
      { queue: { activeRunId: 'r0', queue: ['a', 'b', 'r1'] }, holder: undefined },
      'run r0, which holds the session, and 2 more before it',
    ],
    [
      'behind an unknown outcome',
      run('queued', { admitted: false }),
      { queue: { activeRunId: 'r0', queue: ['r1'] }, holder: { status: 'unknown', fenced: false } },
      'run r0, whose outcome is unknown and which may still run',
    ],
    ['dispatched', run('dispatched'), { lease: lease() }, 'node n1 to start it'],
    [
      'dispatched to a full node',
      run('dispatched'),
      { lease: lease({ running: 2 }) },
      'a free place on node n1, where 2 of 2 runs are under way',
    ],
    [
      'dispatched to a silent node',
      run('dispatched'),
      { lease: SILENT },
      'node n1 to start it; the node is silent',
    ],
    ['running', run('running'), { lease: lease() }, 'its outcome from node n1'],
    [
      'running on a silent node',
      run('running'),
      { lease: SILENT },
      'an answer from node n1, which is silent',
    ],
    [
      'running on a node that recovers',
      run('running'),
      { lease: lease({ recovering: true }) },
      'its outcome from node n1, which reads its journal',
    ],
    ['stopping', run('stopping'), { lease: lease() }, 'node n1 to prove that it stopped'],
    [
      'stopping on a silent node',
      run('stopping'),
      { lease: SILENT },
      'node n1 to prove that it stopped; the node is silent',
    ],
    ['unknown', run('unknown'), { lease: lease() }, 'proof from node n1, or an operator'],
    [
      'unknown on a silent node',
      run('unknown'),
      { lease: SILENT },
      'proof from node n1, or an operator; the node is silent',
    ],
  ])('%s', (_what, row, surroundings, words) => {
    expect(waitsFor(row, { ...nobody, ...surroundings })).toBe(words);
  });

  it('is said of every open run, and of no settled one', () => {
    for (const status of OPEN_RUN_STATUSES) expect(waitsFor(run(status), nobody)).toMatch(/\w/);
    for (const status of SETTLED_RUN_STATUSES) expect(waitsFor(run(status), nobody)).toBeNull();
  });
});

describe('the advice on an unknown outcome', () => {
  const all = [true, false].flatMap((unknownFenced) =>
    ['st', null].map((stopId) => adviceFor({ node: 'n1', unknownFenced, stopId })),
  );

  it('never offers to send it again, and says what that would risk', () => {
    for (const advice of all) {
      expect(advice).not.toMatch(/resend|send it again|retry|try again/i);
      expect(advice).toContain('Submitting the same work anew may do it twice.');
    }
  });

  it('speaks of a stop only when one was accepted, and then does not let it count as completed', () => {
    const [stopped, plain] = [
      adviceFor({ node: 'n1', unknownFenced: true, stopId: 'st' }),
      adviceFor({ node: 'n1', unknownFenced: true, stopId: null }),
    ];
    expect(plain).not.toMatch(/stop/i);
    expect(plain).toContain('completed, failed or abandoned');
    expect(stopped).toContain('failed or abandoned; a stop was accepted');
  });

  it('says whether it may still run', () => {
    expect(adviceFor({ node: 'n1', unknownFenced: false, stopId: null })).toContain(
      'may still run on node n1',
    );
    expect(adviceFor({ node: 'n1', unknownFenced: true, stopId: null })).toContain(
      'Nothing of it runs any more on node n1',
    );
  });
});
