import type { CommandId, Decider, DomainEvent } from '#kernel';
import type { AggregateRef, CommitMetadata, Consistency, Revision } from './event-store.js';

/** An aggregate as folded from its stream. */
export interface Loaded<State> {
  readonly ref: AggregateRef;
  readonly state: State;
  readonly revision: Revision;
  /** The trace context of its newest commit: what is done because of it goes on from there. */
  readonly trace?: string;
}

/** How often a decision is made again after a conflict before the caller is told to come back. PROTOCOL: 16. */
export const DECISIONS_MAX = 16;
/** Aggregates without a natural end carry their folded state this often, in commits. */
export const SNAPSHOT_EVERY_COMMITS = 100;

/** How an aggregate is stored: its rules, and whether it needs snapshots. */
export interface AggregateType<Command, State, Event extends DomainEvent> {
  readonly decider: Decider<Command, State, Event>;
  /**
   * For aggregates without a natural end (node, session). `revive` reads a snapshot back; a state is stored as it is.
   * `commitsOf` counts what the state has folded, and grows with each commit: a commit that takes it over a multiple of
   * {@link SNAPSHOT_EVERY_COMMITS} carries the state.
   */
  readonly snapshots?: {
    readonly revive: (stored: unknown) => State;
    readonly commitsOf: (state: State) => number;
  };
}

/** Where an instance of an aggregate type is. */
export type AggregateKey = Pick<AggregateRef, 'workspace' | 'id'>;

/** What identifies and explains a command. */
export interface ExecuteOptions {
  /** Kept over retries of the same command: a repeat returns what the first one appended. */
  readonly commandId: CommandId;
  readonly metadata: CommitMetadata;
  /** Of the first load; `any` when left out. After a conflict the leader is asked in any case. */
  readonly consistency?: Consistency;
  /**
   * The aggregate's id comes from the command itself, so most probably nothing is there: the first decision is made
   * on an empty aggregate, without a read. An append that conflicts, and an answer other than events, load it after all.
   */
  readonly expectNew?: boolean;
}

/** The outcome of a command that was decided and, if it had news, appended. */
export interface Executed<State, Event> {
  readonly loaded: Loaded<State>;
  /** What this call appended, or an earlier call under the same command id; empty when there was nothing new. */
  readonly events: readonly Event[];
  /** An earlier call (or this one, whose acknowledgement was lost) had appended these events under this command id. */
  readonly repeated: boolean;
}
