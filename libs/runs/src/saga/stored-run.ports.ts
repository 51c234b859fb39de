import type { AskAnswer, AskRequest, Frame } from '#contracts';
import type { AggregateStore, Commit, Loaded } from '#event-store';
import { bySagas, metadataOf } from '#hosting';
import type { Clock, Instant, NodeId, RunId, WorkspaceId } from '#kernel';
import type { KnownJournal, NodeDirectory } from '#nodes/contract';
import { RUN_AGGREGATE } from '../command/index.js';
import { RUN, type RunCommand, type RunState } from '../domain/index.js';
import type { RunSagaPorts } from './run.ports.js';

/** What of the saga's ports lies beyond the event store. */
export interface NodeLines {
  publishFrame(frame: Frame): Promise<void>;
  /** @returns null when nobody answered within the windows. */
  ask(workspace: WorkspaceId, node: NodeId, request: AskRequest): Promise<AskAnswer | null>;
}

/** The saga's ports over the event store, and a line to nodes. */
export class StoredRunPorts implements RunSagaPorts {
  constructor(
    private readonly store: AggregateStore,
    private readonly nodes: NodeDirectory,
    private readonly lines: NodeLines,
    private readonly clock: Clock,
  ) {}

  now(): Instant {
    return this.clock.now();
  }

  async load(workspace: WorkspaceId, runId: RunId): Promise<Loaded<RunState>> {
    return this.store.load(RUN_AGGREGATE, workspace, runId, 'leader');
  }

  begun(commit: Commit): Loaded<RunState> | null {
    return this.store.begun(RUN_AGGREGATE, commit);
  }

  async append(run: Loaded<RunState>, command: RunCommand): Promise<Loaded<RunState>> {
    const events = RUN.decide(command, run.state);
    if (events.length === 0) return run;
    // Two sagas that decide the same on the same revision are one command; the broker keeps the first.
    const commandId = `${command.type}/${String(run.revision)}`;
    const metadata = metadataOf(command.type, bySagas(run));
    return this.store.append(RUN_AGGREGATE, run, events, commandId, metadata);
  }

  async publishFrame(frame: Frame): Promise<void> {
    await this.lines.publishFrame(frame);
  }

  async ask(workspace: WorkspaceId, node: NodeId, request: AskRequest): Promise<AskAnswer | null> {
    return this.lines.ask(workspace, node, request);
  }

  async journalsOf(workspace: WorkspaceId, node: NodeId): Promise<readonly KnownJournal[]> {
    return (await this.nodes.find(workspace, node, 'leader')).journals;
  }
}
