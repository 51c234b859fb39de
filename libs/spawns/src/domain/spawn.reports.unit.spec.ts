import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import type { SpawnEvent } from './spawn.events.js';
import { SPAWN } from './spawn.decider.js';
import {
  CLAIMED,
  COMPLETED,
  DISPATCHED,
  EXPIRED,
  GENERIC_AGAIN,
  NEVER_RECEIVED,
  NOT_STARTED,
  PENDING,
  RELEASING,
  UNKNOWN,
  UNKNOWN_UNCLAIMED,
  agentStopRequested,
  claimFrame,
  claimedGeneric,
  completed,
  dispatched,
  ended,
  failed,
  frameClaimed,
  late,
  notStarted,
  otherIncarnation,
  otherJournal,
  placed,
  releaseDecided,
  requestAgentStop,
  resolve,
  resolved,
  revoked,
  seenAlive,
  seenGone,
  spawnAfter,
  spawnId,
  started,
  unknown,
} from './spawn.fixture.js';

const given = deciderSpec(SPAWN, spawnId);
const ALIVE = 'its agent was seen alive: pid 7';
const GONE = 'its agent has ended: exit 0';
const NEVER = 'its agent was never started: closed';
const byOther = { journalId: otherJournal };
/** Claimed in its second generation. */
const CLAIMED_AGAIN: readonly SpawnEvent[] = [...GENERIC_AGAIN, frameClaimed(2)];

describe('a claim of the frame', () => {
  it('is granted to the first that asks', () =>
    given(DISPATCHED).when(claimFrame()).then([frameClaimed()]));

  it('is granted in the generation that is current', () =>
    given(GENERIC_AGAIN)
      .when(claimFrame({ generation: 2 }))
      .then([frameClaimed(2)]));

  it('that is asked for again by the same incarnation is still its own', () =>
    given(CLAIMED).when(claimFrame()).then([]));

  it.each([
    ['another incarnation asks', CLAIMED, { incarnation: otherIncarnation }, 'claimed'],
    ['another journal asks for what is claimed', CLAIMED, byOther, 'claimed'],
    ['another journal asks', DISPATCHED, byOther, 'dispatched'],
    ['nothing was dispatched', PENDING, {}, 'pending'],
    ['the place is given up', RELEASING, {}, 'releasing'],
    ['it was revoked', NEVER_RECEIVED, {}, 'failed'],
    [
      'it was revoked, and is to be placed anew',
      [claimedGeneric, placed(1), dispatched(), revoked()],
      {},
      'releasing',
    ],
    ['a newer generation was dispatched', GENERIC_AGAIN, {}, 'dispatched'],
    ['it is of a later generation', DISPATCHED, { generation: 2 }, 'dispatched'],
    ['its agent was started', COMPLETED, {}, 'completed'],
    ['its agent was not started', NOT_STARTED, {}, 'failed'],
    ['it expired', EXPIRED, {}, 'failed'],
    ['it is unknown', UNKNOWN, {}, 'failed'],
  ])('is refused when %s', (_why, history, more, status) =>
    given(history)
      .when(claimFrame(more))
      .thenRefuses('spawn.claim_refused', {
        spawnId,
        generation: claimFrame(more).generation,
        status,
      }),
  );

  it('is refused for what was dispatched before a restore', () =>
    given(DISPATCHED)
      .when(claimFrame({ epoch: 2 }))
      .thenRefuses('spawn.claim_of_older_epoch', { spawnId, generation: 1 }));
});

describe('a report of a claimed spawn', () => {
  it('that its agent was started completes it', () =>
    given(CLAIMED).when(started()).then([completed]));

  it('that its agent has ended completes it: what ended was started', () =>
    given(CLAIMED)
      .when(ended({ evidence: 'pid 7' }))
      .then([completed]));

  it('that its agent was not started fails it', () =>
    given(CLAIMED)
      .when(notStarted())
      .then([failed('agent_not_started', 'closed')]));

  it('may come from a later incarnation, which has the journal', () =>
    given(CLAIMED)
      .when(notStarted({ incarnation: otherIncarnation }))
      .then([failed('agent_not_started', 'closed')]));

  it('that another incarnation did not start it changes nothing: its holder may', () =>
    given(CLAIMED)
      .when(notStarted({ disproves: otherIncarnation }))
      .then([]));

  it.each([
    ['started', started(byOther)],
    ['ended', ended(byOther)],
    ['not started', notStarted(byOther)],
  ])('by another journal changes nothing: %s', (_what, report) =>
    given(CLAIMED).when(report).then([]),
  );

  it('of another generation does not settle it: not started (@SP-76)', () =>
    given(CLAIMED_AGAIN).when(notStarted()).then([]));
});

describe('a report that is repeated', () => {
  it.each([
    ['started', COMPLETED, started()],
    ['ended, of what was started', COMPLETED, ended()],
    ['not started, of what was started', COMPLETED, notStarted()],
    ['not started', NOT_STARTED, notStarted()],
    ['not started, of what was never received', NEVER_RECEIVED, notStarted()],
    ['not started, of what is dispatched', DISPATCHED, notStarted()],
    ['not started, of what expired', EXPIRED, notStarted()],
    ['late: alive', [...UNKNOWN, seenAlive], started()],
    ['late: gone', [...UNKNOWN, seenGone], ended()],
    ['late: never started', [...UNKNOWN, late('gone', NEVER)], notStarted()],
  ])('changes nothing: %s (@SP-76)', (_what, history, report) =>
    given(history).when(report).then([]),
  );
});

describe('what a node says after its spawn failed as unknown', () => {
  it.each([
    ['its agent lives', started(), late('lives', ALIVE)],
    ['its agent has ended', ended(), late('gone', GONE)],
    ['its agent was never started', notStarted(), late('gone', NEVER)],
  ])('is kept as late evidence, and the answer stands: %s (@SP-77)', (_what, report, recorded) => {
    given(UNKNOWN).when(report).then([recorded]);
    const { status, failure } = spawnAfter([...UNKNOWN, recorded]);
    expect({ status, failure }).toStrictEqual({
      status: 'failed',
      failure: { code: 'spawn_outcome_unknown', at: 1_000 },
    });
  });

  it.each([
    ['alive', started(byOther)],
    ['gone', ended(byOther)],
  ])('from another journal, which says that it is %s, counts for nothing @SP-77', (_what, report) =>
    given(UNKNOWN).when(report).then([]),
  );

  it('that lived may be gone', () =>
    given([...UNKNOWN, seenAlive])
      .when(ended())
      .then([late('gone', GONE)]));

  it('once gone stays gone, whatever report was overtaken (@SP-77)', () => {
    given([...UNKNOWN, seenGone])
      .when(started())
      .then([seenAlive]);
    expect(spawnAfter([...UNKNOWN, seenGone, seenAlive]).lateAgent).toBe('gone');
  });

  it.each([
    ['of another generation', { generation: 2 }],
    ['of another incarnation than its holder', { disproves: otherIncarnation }],
  ])('proves nothing when it was not started %s', (_what, more) =>
    given(UNKNOWN).when(notStarted(more)).then([]),
  );

  it('proves that nothing lives when a restore forgot who held it', () =>
    given(UNKNOWN_UNCLAIMED)
      .when(notStarted({ disproves: otherIncarnation }))
      .then([late('gone', NEVER)]));

  it('may be of a generation that a restore forgot', () =>
    given(UNKNOWN_UNCLAIMED)
      .when(started({ generation: 2 }))
      .then([late('lives', ALIVE, { generation: 2 })]));
});

describe('a start of what was held to be certainly unsent', () => {
  it.each([
    ['pending', PENDING],
    ['releasing', RELEASING],
    ['dispatched and not claimed', DISPATCHED],
    ['revoked', NEVER_RECEIVED],
    ['proved not to be started', NOT_STARTED],
    ['expired', EXPIRED],
    ['of a generation that was taken back', CLAIMED_AGAIN],
    ['of a generation that was taken back, and completed', [...CLAIMED_AGAIN, completed]],
  ])('is shown: %s', (_what, history) => {
    const shown = { showsStart: true };
    given(history)
      .when(started())
      .then([late('lives', ALIVE, shown)]);
    given(history)
      .when(ended())
      .then([late('gone', GONE, shown)]);
  });

  it('is shown once', () =>
    given([...NEVER_RECEIVED, late('lives', ALIVE, { showsStart: true })])
      .when(started())
      .then([]));
});

describe('evidence of a generation that was taken back', () => {
  const goneBefore = late('gone', GONE, { showsStart: true });

  it.each([
    ['dispatched', [...GENERIC_AGAIN.slice(0, 4), goneBefore, ...GENERIC_AGAIN.slice(4)]],
    ['dispatched, and heard of since', [...GENERIC_AGAIN, goneBefore]],
  ])('says nothing of the agent that the next one may have: %s', (_what, history) =>
    expect(spawnAfter([...history, frameClaimed(2), unknown]).lateAgent).toBe(null),
  );
});

describe('an operator', () => {
  it.each(['stop', 'free'] as const)('may %s what may be alive', (as) =>
    given(UNKNOWN)
      .when(resolve(as))
      .then([resolved(as)]),
  );

  it('may adopt an agent that was seen alive', () =>
    given([...UNKNOWN, seenAlive])
      .when(resolve('adopt'))
      .then([resolved('adopt')]));

  it('may not adopt an agent that nobody saw', () =>
    given(UNKNOWN).when(resolve('adopt')).thenRefuses('spawn_agent_not_seen', { spawnId }));

  it.each(['stop', 'adopt'] as const)('who says %s again says nothing new', (as) =>
    given([...UNKNOWN, seenAlive, resolved(as)])
      .when(resolve(as))
      .then([]),
  );

  it('may change an adoption into a stop', () =>
    given([...UNKNOWN, seenAlive, resolved('adopt')])
      .when(resolve('stop'))
      .then([resolved('stop')]));

  it.each([
    ['claimed', CLAIMED, 'claimed'],
    ['completed', COMPLETED, 'completed'],
    ['certainly unsent', NEVER_RECEIVED, 'failed'],
    ['unknown, and its agent is gone', [...UNKNOWN, seenGone], 'failed'],
    ['unknown, and freed', [...UNKNOWN, resolved('free')], 'failed'],
  ])('has nothing to resolve when it is %s', (_what, history, status) =>
    given(history).when(resolve('free')).thenRefuses('spawn_not_unknown', { spawnId, status }),
  );
});

describe('a stop of the agent', () => {
  it('is recorded once it was started', () =>
    given(COMPLETED).when(requestAgentStop()).then([agentStopRequested]));

  it('is recorded once', () =>
    given([...COMPLETED, agentStopRequested])
      .when(requestAgentStop('stop-2'))
      .then([]));

  it.each([
    ['pending', PENDING],
    ['releasing', [...RELEASING, placed(2), releaseDecided(2)]],
    ['dispatched', DISPATCHED],
    ['claimed', CLAIMED],
    ['failed', UNKNOWN],
  ])('is refused when its spawn is %s', (status, history) =>
    given(history).when(requestAgentStop()).thenRefuses('spawn_has_no_agent', { spawnId, status }),
  );
});
