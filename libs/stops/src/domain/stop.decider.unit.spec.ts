import { describe, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import { STOP, type StopCommand, type StopEvent } from './stop.decider.js';

const stopId = 'stop-1';
const facts = {
  stopId,
  target: { kind: 'run', id: 'run-1' },
  reason: 'enough',
  principal: 'principal-1',
  fingerprint: 'fingerprint-1',
} as const;
const request: StopCommand = { type: 'RequestStop', ...facts, now: 1_000 };
const requested: StopEvent = { type: 'StopRequested', data: { ...facts, at: 1_000 } };
const given = deciderSpec(STOP, stopId);

describe('a stop', () => {
  it('is recorded before it takes effect', () => given([]).when(request).then([requested]));

  it('that comes again is the same stop', () =>
    given([requested])
      .when({ ...request, now: 2_000 })
      .then([]));

  it('under the same id for something else is refused', () =>
    given([requested])
      .when({ ...request, fingerprint: 'fingerprint-2' })
      .thenRefuses('idempotency_conflict', { stopId }));
});
