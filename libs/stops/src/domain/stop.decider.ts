import { RuleViolation, type Decider, type Instant, type PrincipalId, type StopId } from '#kernel';
import type { StopTarget } from '../contract/index.js';

/** Somebody wants the target to end. Its effect is the target's own commit, which follows. */
export interface StopRequested {
  readonly type: 'StopRequested';
  readonly data: {
    readonly stopId: StopId;
    readonly target: StopTarget;
    readonly reason: string;
    readonly principal: PrincipalId;
    readonly fingerprint: string;
    readonly at: Instant;
  };
}
export type StopEvent = StopRequested;

export type StopState =
  | { readonly status: 'none'; readonly stopId: StopId }
  | { readonly status: 'requested'; readonly request: StopRequested['data'] };

export interface RequestStop extends Omit<StopRequested['data'], 'at'> {
  readonly type: 'RequestStop';
  readonly now: Instant;
}
export type StopCommand = RequestStop;

export const initialStop = (stopId: string): StopState => ({ status: 'none', stopId });

export const evolveStop = (_stop: StopState, event: StopEvent): StopState => ({
  status: 'requested',
  request: event.data,
});

export const decideStop = (command: StopCommand, stop: StopState): readonly StopEvent[] => {
  const { type: _, now: at, ...request } = command;
  if (stop.status === 'none') return [{ type: 'StopRequested', data: { ...request, at } }];
  if (stop.request.fingerprint !== command.fingerprint)
    throw new RuleViolation('idempotency_conflict', { stopId: command.stopId });
  return []; // The same request again: the first answer stands.
};

export const STOP: Decider<StopCommand, StopState, StopEvent> = {
  aggregate: 'stop',
  initialState: initialStop,
  evolve: evolveStop,
  decide: decideStop,
};
