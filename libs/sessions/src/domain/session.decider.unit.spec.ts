import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fold } from '#kernel';
import { deciderSpec } from '#testing';
import { SESSION_QUEUE_MAX } from '../contract/index.js';
import {
  SESSION,
  decideSession,
  evolveSession,
  initialSession,
  knowsRun,
  type SessionCommand,
  type SessionState,
} from './session.decider.js';
import type { SessionEvent } from './session.events.js';

const sessionId = 'opener';
const now = 1_000;
const at = now;
const given = deciderSpec(SESSION, sessionId);

const queue = (runId: string, active: string, activeOver: boolean): SessionCommand => ({
  type: 'QueueRun',
  sessionId,
  now,
  runId,
  active,
  activeOver,
});
const advance = (released: string): SessionCommand => ({
  type: 'AdvanceSession',
  sessionId,
  now,
  released,
});
const queued = (runId: string, releases: string | null = null): SessionEvent => ({
  type: 'SessionRunQueued',
  data: { sessionId, at, runId, admitted: releases !== null, releases },
});
const advanced = (released: string, admitted: string): SessionEvent => ({
  type: 'SessionAdvanced',
  data: { sessionId, at, released, admitted },
});

describe('a run that names a session', () => {
  it('is admitted at once when nobody waits and the active run is over (@SM-1d)', () =>
    given([])
      .when(queue('a', sessionId, true))
      .then([queued('a', sessionId)]));

  it('waits while the active run is open', () =>
    given([])
      .when(queue('a', sessionId, false))
      .then([queued('a')]));

  it('waits behind those that wait, also when the active run is over', () =>
    given([queued('a')])
      .when(queue('b', sessionId, true))
      .then([queued('b')]));

  it('waits when another run was looked at than the one that holds the place', () =>
    given([queued('a', sessionId)])
      .when(queue('b', sessionId, true))
      .then([queued('b')]));

  it.each([
    ['waits', [queued('a')]],
    ['holds the place', [queued('a', sessionId)]],
    ['had the place', [queued('a', sessionId), queued('b', 'a')]],
    [
      'was given the place from the queue',
      [queued('a'), advanced(sessionId, 'a'), queued('b', 'a')],
    ],
  ])('has its place already when it %s', (_what, history) =>
    given(history)
      .when(queue('a', sessionId, true))
      .then([]),
  );

  it('does not get a second place as the opener', () =>
    given([])
      .when(queue(sessionId, sessionId, true))
      .then([]));

  it('is given however many wait: the run is accepted already, and nobody would ask for it again', () =>
    given(Array.from({ length: SESSION_QUEUE_MAX }, (_, index) => queued(`w${index}`)))
      .when(queue('a', sessionId, false))
      .then([queued('a')]));
});

describe('the place of a session', () => {
  it('goes to the first that waits', () =>
    given([queued('a'), queued('b')])
      .when(advance(sessionId))
      .then([advanced(sessionId, 'a')]));

  it('goes on in the order of the queue', () =>
    given([queued('a'), queued('b'), advanced(sessionId, 'a')])
      .when(advance('a'))
      .then([advanced('a', 'b')]));

  it('stays where it is while nobody waits', () =>
    given([queued('a', sessionId)])
      .when(advance('a'))
      .then([]));

  it('is not given away twice', () =>
    given([queued('a'), queued('b'), advanced(sessionId, 'a')])
      .when(advance(sessionId))
      .then([]));
});

describe('in whatever order runs come and end', () => {
  /** Who waits or holds, in words that fast-check can choose from. */
  const names = ['a', 'b', 'c', 'd', 'e'];
  const step = fc.record({
    kind: fc.constantFrom('queue', 'advance'),
    run: fc.constantFrom(...names),
    over: fc.boolean(),
    stale: fc.constantFrom(null, sessionId, ...names),
  });
  const commandOf = (
    session: SessionState,
    one: typeof step extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    const active = one.stale ?? session.active;
    return one.kind === 'queue' ? queue(one.run, active, one.over) : advance(active);
  };

  it('each run is admitted once, in the order of its commits, and repeats are quiet', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let session = initialSession(sessionId);
        const order: string[] = [sessionId];
        const admitted: string[] = [sessionId];
        for (const one of steps) {
          const command = commandOf(session, one);
          const events = decideSession(command, session);
          session = fold(evolveSession, session, events);
          for (const event of events) {
            if (event.type === 'SessionRunQueued') order.push(event.data.runId);
            if (event.type === 'SessionAdvanced') admitted.push(event.data.admitted);
            else if (event.data.admitted) admitted.push(event.data.runId);
          }
          if (command.type === 'QueueRun') {
            expect(decideSession(command, session)).toStrictEqual([]);
            expect(knowsRun(session, command.runId)).toBe(true);
          }
          expect(admitted).toStrictEqual(order.slice(0, admitted.length));
          expect(session.active).toBe(admitted.at(-1));
          expect(session.queue).toStrictEqual(order.slice(admitted.length));
        }
      }),
    );
  });
});
