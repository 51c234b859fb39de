import { describe, expect, it } from '@jest/globals';
import { LeaseLiveness, type LeaseBody, type LeaseVerdict } from './index.js';

const lease: LeaseBody = {
  journalId: 'journal-1',
  incarnation: 'incarnation-1',
  recovering: false,
  openCount: 0,
  openHash: '',
  running: 0,
  maxRuns: 1,
  waiting: 0,
};
const judged = (verdict: LeaseVerdict) =>
  new LeaseLiveness({ judge: async () => verdict }, () => 10_000).judge('main', 'node-1');

describe('the lease, where nobody else judges whether nodes live', () => {
  it('says that a node lives for as long as it is renewed, and what of it is not ready (@SP-35)', async () => {
    const body = { ...lease, notReady: ['claude'] };
    expect(await judged({ kind: 'alive', lease: body, ageMs: 1_999.6 })).toEqual({
      liveness: 'alive',
      notReady: ['claude'],
      lastHeardAt: 8_000,
    });
    expect(await judged({ kind: 'alive', lease, ageMs: 0 })).toMatchObject({ notReady: [] });
  });

  it.each<[string, LeaseVerdict, object]>([
    ['expired', { kind: 'expired', ageMs: 7_000 }, { liveness: 'silent', lastHeardAt: 3_000 }],
    ['never seen', { kind: 'never' }, { liveness: 'unclear', lastHeardAt: null }],
    [
      'not to be told',
      { kind: 'cannot-tell', why: 'x' },
      { liveness: 'unclear', lastHeardAt: null },
    ],
  ])('does not say so when it is %s (@SP-35)', async (_what, verdict, life) => {
    expect(await judged(verdict)).toEqual({ notReady: [], ...life });
  });
});
