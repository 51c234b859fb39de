import { describe, expect, it } from '@jest/globals';
import { SESSION, type SessionCommand, type SessionEvent } from '../domain/index.js';
import type { SessionRow } from './session-view.row.js';
import { projectSession } from './session.projector.js';

const project = (events: readonly SessionEvent[]): SessionRow | undefined =>
  events.reduce<SessionRow | undefined>(
    (row, event, index) => projectSession(row, event, { workspace: 'main', sequence: index + 1 }),
    undefined,
  );
const queued = (runId: string, admitted: boolean, at = 1): SessionEvent => ({
  type: 'SessionRunQueued',
  data: { sessionId: 's', at, runId, admitted, releases: admitted ? 's' : null },
});
const row = (over: Partial<SessionRow>): SessionRow => ({
  workspace: 'main',
  sessionId: 's',
  activeRunId: 's',
  queue: [],
  updatedAt: 1,
  sequence: 1,
  ...over,
});

describe('the row of a session', () => {
  it('SessionRunQueued: behind the opener', () =>
    expect(project([queued('r1', false)])).toStrictEqual(row({ queue: ['r1'] })));

  it('SessionRunQueued: in the opener’s place', () =>
    expect(project([queued('r1', true)])).toStrictEqual(row({ activeRunId: 'r1' })));

  it('SessionAdvanced: the first in the queue gets the place', () =>
    expect(
      project([
        queued('r1', false),
        queued('r2', false),
        { type: 'SessionAdvanced', data: { sessionId: 's', at: 7, released: 's', admitted: 'r1' } },
      ]),
    ).toStrictEqual(row({ activeRunId: 'r1', queue: ['r2'], updatedAt: 7, sequence: 3 })));

  it('is where the decider’s own fold is, whatever happens', () => {
    let state = SESSION.initialState('s');
    let projected: SessionRow | undefined;
    for (let step = 1; step < 300; step += 1) {
      const command: SessionCommand =
        step % 3 === 0
          ? { type: 'AdvanceSession', sessionId: 's', now: step, released: state.active }
          : {
              type: 'QueueRun',
              sessionId: 's',
              now: step,
              runId: `r${step % 100}`,
              active: state.active,
              activeOver: step % 5 === 0,
            };
      for (const event of SESSION.decide(command, state)) {
        state = SESSION.evolve(state, event);
        projected = projectSession(projected, event, { workspace: 'main', sequence: step });
      }
      if (projected === undefined) continue;
      const { activeRunId, queue } = projected;
      expect({ activeRunId, queue }).toEqual({ activeRunId: state.active, queue: state.queue });
    }
  });
});
