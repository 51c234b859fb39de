import { describe, expect, it } from '@jest/globals';
import type { AgentEvent } from '#agents/domain';
import type { CredentialEvent } from '#access/domain';
import type { NodeEvent } from '#nodes/domain';
import type { RunEvent } from '#runs/domain';
import type { SessionEvent } from '#sessions/domain';
import type { SpawnEvent } from '#spawns/domain';
import type { StopEvent } from '#stops/domain';
import type * as control from '../generated/holdfast/v1/control_pb.js';
import type * as node from '../generated/holdfast/v1/node_pb.js';
import type * as run from '../generated/holdfast/v1/run_pb.js';
import type * as session from '../generated/holdfast/v1/session_pb.js';
import type * as spawn from '../generated/holdfast/v1/spawn_pb.js';
import { checkEvent, EventSchemaViolation, upcast } from './event-schemas.js';

/** Protobuf's JSON mapping leaves out what is not there, where ours may write null. */
type Nullless<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends readonly (infer Item)[]
      ? Nullless<Item>[]
      : Value extends object
        ? { [Key in keyof Value]?: Nullless<Exclude<Value[Key], null>> }
        : Value;

interface GeneratedJson {
  RunSubmitted: run.RunSubmittedJson;
  RunDispatched: run.RunDispatchedJson;
  RunStartWindowExtended: run.RunStartWindowExtendedJson;
  RunDispatchRevoked: run.RunDispatchRevokedJson;
  RunClaimed: run.RunClaimedJson;
  RunNotStarted: run.RunNotStartedJson;
  RunReceiptsRecorded: run.RunReceiptsRecordedJson;
  RunAttemptEnded: run.RunAttemptEndedJson;
  RunCompleted: run.RunCompletedJson;
  RunFailed: run.RunFailedJson;
  RunStranded: run.RunStrandedJson;
  RunOutcomeUnknown: run.RunOutcomeUnknownJson;
  RunFenced: run.RunFencedJson;
  RunObservedRunning: run.RunObservedRunningJson;
  RunStopRequested: run.RunStopRequestedJson;
  RunStopped: run.RunStoppedJson;
  RunResolved: run.RunResolvedJson;
  LateEvidenceRecorded: run.LateEvidenceRecordedJson;
  SessionRunQueued: session.SessionRunQueuedJson;
  SessionAdvanced: session.SessionAdvancedJson;
  NodeJoined: node.NodeJoinedJson;
  NodeStarted: node.NodeStartedJson;
  NodeJournalReplaced: node.NodeJournalReplacedJson;
  NodeChanged: node.NodeChangedJson;
  NodeLeft: node.NodeLeftJson;
  NodeRenamed: node.NodeRenamedJson;
  NodeDrained: node.NodeDrainedJson;
  NodeReturned: node.NodeReturnedJson;
  SlotReserved: node.SlotReservedJson;
  SlotReleased: node.SlotReleasedJson;
  SlotOccupied: node.SlotOccupiedJson;
  SpawnClaimed: spawn.SpawnClaimedJson;
  SpawnPlacementIntended: spawn.SpawnPlacementIntendedJson;
  SpawnReservationReleaseDecided: spawn.SpawnReservationReleaseDecidedJson;
  SpawnDispatched: spawn.SpawnDispatchedJson;
  SpawnDispatchRevoked: spawn.SpawnDispatchRevokedJson;
  SpawnFrameClaimed: spawn.SpawnFrameClaimedJson;
  SpawnCompleted: spawn.SpawnCompletedJson;
  SpawnFailed: spawn.SpawnFailedJson;
  SpawnExpired: spawn.SpawnExpiredJson;
  SpawnSettledUnknown: spawn.SpawnSettledUnknownJson;
  SpawnLateEvidenceRecorded: spawn.SpawnLateEvidenceRecordedJson;
  SpawnResolved: spawn.SpawnResolvedJson;
  SpawnAgentStopRequested: spawn.SpawnAgentStopRequestedJson;
  AgentRegistered: node.AgentRegisteredJson;
  AgentEnded: node.AgentEndedJson;
  StopRequested: control.StopRequestedJson;
  CredentialIssued: control.CredentialIssuedJson;
  CredentialRevoked: control.CredentialRevokedJson;
}
type AnyEvent =
  RunEvent | SessionEvent | NodeEvent | AgentEvent | StopEvent | SpawnEvent | CredentialEvent;
type DataOf<Type extends AnyEvent['type']> = Extract<AnyEvent, { type: Type }>['data'];

/** Compiles only while every event has a message, every field of it stands there, and none stands there alone. */
type Agreement = {
  [Type in AnyEvent['type']]: Type extends keyof GeneratedJson
    ? Nullless<DataOf<Type>> extends GeneratedJson[Type]
      ? Exclude<keyof GeneratedJson[Type], keyof DataOf<Type>> extends never
        ? 'agrees'
        : { missingInCode: Exclude<keyof GeneratedJson[Type], keyof DataOf<Type>> }
      : { differs: Exclude<keyof DataOf<Type>, keyof GeneratedJson[Type]> }
    : 'no message';
};
const agreement = <Type extends AnyEvent['type']>(
  type: Type,
  verdict: Agreement[Type],
): [Type, Agreement[Type]] => [type, verdict];

describe('events and their protobuf messages', () => {
  it('agree, field by field (checked by the compiler)', () => {
    expect(agreement('RunSubmitted', 'agrees')).toEqual(['RunSubmitted', 'agrees']);
    expect(agreement('RunOutcomeUnknown', 'agrees')).toEqual(['RunOutcomeUnknown', 'agrees']);
    const all: { [Type in AnyEvent['type']]: 'agrees' } = null as unknown as Agreement;
    expect(all).toBeNull();
  });

  it('let a whole event through', () => {
    const event: RunEvent = {
      type: 'RunFailed',
      data: {
        runId: 'r',
        at: 1_795_968_815_154,
        generation: 1,
        code: 'AGENT_EXITED',
        exitCode: null,
        output: null,
        receipts: { sent: 1 },
        settledBy: 'node',
      },
    };
    expect(() => {
      checkEvent(event);
    }).not.toThrow();
  });

  it('refuse a field that no message has', () => {
    const event = { type: 'RunStranded', data: { runId: 'r', at: 1, windowMs: 2, retry: true } };
    expect(() => {
      checkEvent(event);
    }).toThrow(EventSchemaViolation);
  });

  it('refuse a value of another type, and an event without a message', () => {
    expect(() => {
      checkEvent({ type: 'RunStranded', data: { runId: 7 } });
    }).toThrow(EventSchemaViolation);
    expect(() => {
      checkEvent({ type: 'RunExploded', data: {} });
    }).toThrow('no message');
  });

  it('keep what a newer version wrote and this one does not know', () => {
    const event = { type: 'RunStranded', data: { runId: 'r', at: 1, windowMs: 2, colour: 'blue' } };
    expect(upcast(event, 1)).toEqual(event);
  });

  it('are brought up to date by the upcasters of every version in between', () => {
    const rename = { type: 'RunStranded', data: { runId: 'r', at: 1, window: 2 } };
    const upcasters = new Map([
      [
        0,
        new Map([
          [
            'RunStranded',
            (old: { type: string; data: object }) => ({
              ...old,
              data: { ...old.data, windowMs: 2 },
            }),
          ],
        ]),
      ],
    ]);
    expect(upcast(rename, 0, upcasters).data).toMatchObject({ windowMs: 2 });
  });
});
