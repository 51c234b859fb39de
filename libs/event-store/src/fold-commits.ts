import { fold, type CommandId, type DomainEvent } from '#kernel';
import {
  SNAPSHOT_EVERY_COMMITS,
  type AggregateKey,
  type AggregateType,
  type Loaded,
} from './port/aggregate-store.js';
import { StreamDiverged } from './port/errors.js';
import { NO_COMMIT, type AggregateRef, type Commit, type Revision } from './port/event-store.js';
import { eventSubject } from './ref.js';

/** How many command ids of one aggregate are remembered beside its state: more than fit between two snapshots. */
const REMEMBERED_COMMANDS_MAX = 256;

/** An aggregate as far as one process has folded it. */
export interface Cached {
  readonly loaded: Loaded<unknown>;
  /** The revisions of commits by command id, shared by all states of the aggregate: they are facts, and only grow. */
  readonly commands: Map<CommandId, Revision>;
}

/** An aggregate before its first commit. */
export const emptyOf = <Command, State, Event extends DomainEvent>(
  type: AggregateType<Command, State, Event>,
  { workspace, id }: AggregateKey,
): Cached => {
  const ref: AggregateRef = { aggregate: type.decider.aggregate, workspace, id };
  return {
    loaded: { ref, state: type.decider.initialState(id), revision: NO_COMMIT },
    commands: new Map(),
  };
};

/**
 * Folds commits over what was known, or from a snapshot that lies beyond it.
 *
 * @throws StreamDiverged a commit does not follow the one before it.
 */
export const foldCommits = <Command, State, Event extends DomainEvent>(
  type: AggregateType<Command, State, Event>,
  from: Cached,
  commits: readonly Commit[],
): Cached => {
  let { state, revision } = from.loaded as Loaded<State>;
  const { commands } = from;
  for (const commit of commits) {
    const isStart = commit === commits[0];
    if (isStart && commit.previous !== revision && commit.snapshot !== undefined) {
      if (type.snapshots === undefined)
        throw new StreamDiverged(
          `${type.decider.aggregate} has a snapshot that nothing can revive`,
        );
      state = type.snapshots.revive(commit.snapshot);
    } else {
      if (commit.previous !== revision)
        throw new StreamDiverged(
          `${eventSubject(commit.ref)}: commit ${commit.revision} follows ${commit.previous}, not ${revision}`,
        );
      state = fold(
        (s: State, e: Event) => type.decider.evolve(s, e),
        state,
        commit.events as readonly Event[],
      );
    }
    revision = commit.revision;
    addCommand(commands, commit.commandId, revision);
  }
  const trace = commits[commits.length - 1]?.metadata.traceparent;
  return { loaded: loadedAt(from.loaded.ref, state, revision, trace), commands };
};

export const loadedAt = <State>(
  ref: AggregateRef,
  state: State,
  revision: Revision,
  trace: string | undefined,
): Loaded<State> => ({ ref, state, revision, ...(trace === undefined ? {} : { trace }) });

/** Remembers that a command was executed; forgets the oldest when there are many. */
export const addCommand = (
  commands: Map<CommandId, Revision>,
  commandId: CommandId,
  revision: Revision,
): void => {
  commands.set(commandId, revision);
  if (commands.size <= REMEMBERED_COMMANDS_MAX) return;
  const oldest = commands.keys().next();
  if (!oldest.done) commands.delete(oldest.value);
};

/** Whether a commit takes its aggregate over the next multiple of {@link SNAPSHOT_EVERY_COMMITS}. */
export const isSnapshotDue = <Command, State, Event extends DomainEvent>(
  type: AggregateType<Command, State, Event>,
  before: State,
  after: State,
): boolean => {
  const { snapshots } = type;
  if (snapshots === undefined) return false;
  const snapshotsAt = (state: State): number =>
    Math.floor(snapshots.commitsOf(state) / SNAPSHOT_EVERY_COMMITS);
  return snapshotsAt(after) > snapshotsAt(before);
};
