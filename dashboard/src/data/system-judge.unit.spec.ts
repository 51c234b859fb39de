import { describe, expect, it } from '@jest/globals';
import { ofHolder, ofNode, ofProjection, ofRun, ofSaga, verdictsOn } from './system-judge.js';
import { NOW, healthy, node, projection, run, saga } from './system.fixture.js';

const WINDOWS = healthy().windows.value;

describe('what is slow', () => {
  it('is nothing while everything is in time', () => {
    expect(verdictsOn(healthy(), NOW)).toEqual([]);
  });

  it('is a read model that is a second behind, and stuck from ten on or when it was stopped', () => {
    const at = (lagMs: number, finding: string | null = null) =>
      ofProjection(projection({ lag: 3, lagMs, finding })).level;
    expect([at(0), at(999), at(1_000), at(9_999), at(10_000)]).toEqual([
      'fine',
      'fine',
      'slow',
      'slow',
      'stuck',
    ]);
    expect(at(0, 'its rows are of epoch 1')).toBe('stuck');
  });

  it('is work that nobody does, or whose holder says nothing', () => {
    const at = (holder: string | null, heardMsAgo: number | null) =>
      ofHolder({ role: 'projector', of: 'runs', holder, heardMsAgo }).level;
    expect([at(null, null), at('p', 3_999), at('p', 4_000), at('p', 7_000)]).toEqual([
      'stuck',
      'fine',
      'slow',
      'stuck',
    ]);
  });

  it('is a saga that has not handled something for a sweep, and stuck when nobody takes it', () => {
    const at = (change: Partial<ReturnType<typeof saga>>) => ofSaga(saga(change), WINDOWS).level;
    expect(at({ takers: 0 })).toBe('fine'); // Nothing to do: who takes it can't be told.
    expect(at({ waiting: 1, oldestMs: 999 })).toBe('fine');
    expect(at({ waiting: 1, oldestMs: 1_000 })).toBe('slow');
    expect(at({ inWork: 1, oldestMs: 5_000 })).toBe('stuck');
    expect(at({ waiting: 1, takers: 0 })).toBe('stuck');
  });

  it('is a node that renews late, and stuck when it is silent; one that left is neither', () => {
    const at = (change: Parameters<typeof node>[0]) => ofNode(node(change), WINDOWS, NOW).level;
    const heard = (ago: number) => ({ lastHeardAt: new Date(NOW - ago).toISOString() });
    expect(at(heard(4_000))).toBe('fine');
    expect(at(heard(4_001))).toBe('slow');
    expect(at({ liveness: 'silent' })).toBe('stuck');
    expect(at({ liveness: 'unclear' })).toBe('unseen');
    expect(at({ liveness: 'silent', membership: 'left' })).toBe('fine');
  });

  it('is a run that its node does not start, or a stop without proof; never long work', () => {
    const ago = (ms: number): string => new Date(NOW - ms).toISOString();
    const at = (change: Parameters<typeof run>[0]) => ofRun(run(change), WINDOWS, NOW).level;
    expect(at({ status: 'dispatched', dispatchedAt: ago(9_999) })).toBe('fine');
    expect(at({ status: 'dispatched', dispatchedAt: ago(10_000) })).toBe('slow');
    expect(at({ status: 'running', startedAt: ago(86_400_000) })).toBe('fine');
    const stop = { stopId: 's', reason: 'r', requestedAt: ago(15_000) };
    expect(at({ status: 'stopping', stop })).toBe('slow');
  });

  it('names what could not be looked at, after what is stuck and slow, and never calls it fine', () => {
    const why = 'Postgres can not be asked now';
    const verdicts = verdictsOn(
      {
        ...healthy(),
        database: { value: null, why },
        projections: { value: [projection({ lag: 9, lagMs: 2_500 })], why: null },
        nodes: { value: [node({ liveness: 'silent' })], why: null },
      },
      NOW,
    );
    expect(verdicts.map(({ level }) => level)).toEqual(['stuck', 'slow', 'unseen']);
    expect(verdicts[1]?.words).toBe('Read model runs is 2.5 s behind (9 events).');
    expect(verdicts[2]?.words).toBe(`Could not look at Postgres: ${why}.`);
  });
});
