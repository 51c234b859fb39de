import type { AskAnswer, AskRequest, Frame } from '#contracts';
import type { Commit, Loaded } from '#event-store';
import type { Instant, NodeId, RunId, WorkspaceId } from '#kernel';
import type { KnownJournal } from '#nodes/contract';
import type { RunCommand, RunState } from '../domain/index.js';

/**
 * What the saga does to the world. Each of these may be the last thing that a process does, before or after its effect:
 * the next one that looks at the run goes on from what is recorded.
 */
export interface RunSagaPorts {
  now(): Instant;
  /** The run as the leader has it. */
  load(workspace: WorkspaceId, runId: RunId): Promise<Loaded<RunState>>;
  /** The run as its first commit makes it, which may be old news; null for any later commit. Asks nobody. */
  begun(commit: Commit): Loaded<RunState> | null;
  /**
   * Decides and appends under compare-and-set.
   *
   * @returns the run after the commit; as it was when there was nothing new.
   * @throws RevisionConflict or RuleViolation: somebody else was first. Look again.
   */
  append(run: Loaded<RunState>, command: RunCommand): Promise<Loaded<RunState>>;
  /** Puts the frame on its way; does nothing when it is there already. */
  publishFrame(frame: Frame): Promise<void>;
  /** Asks as often and as long as the windows say. @returns null when nobody answered. */
  ask(workspace: WorkspaceId, node: NodeId, request: AskRequest): Promise<AskAnswer | null>;
  /** Every journal that the node ever joined with, from the leader. */
  journalsOf(workspace: WorkspaceId, node: NodeId): Promise<readonly KnownJournal[]>;
}
