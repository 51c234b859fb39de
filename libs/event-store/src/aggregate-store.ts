import { RuleViolation, fold, type CommandId, type DomainEvent, type WorkspaceId } from '#kernel';
import { codeOf, tracing } from '#tracing';
import { AggregateCache, type CacheBounds } from './aggregate-cache.js';
import { appendFitting } from './append-fitting.js';
import { appendSpan, typesOf } from './append-span.js';
import { emptyOf, foldCommits, isSnapshotDue, loadedAt, type Cached } from './fold-commits.js';
import {
  DECISIONS_MAX,
  type AggregateKey,
  type AggregateType,
  type Executed,
  type ExecuteOptions,
  type Loaded,
} from './port/aggregate-store.js';
import { Contended, RevisionConflict, StreamDiverged } from './port/errors.js';
import {
  NO_COMMIT,
  type Commit,
  type CommitMetadata,
  type Consistency,
  type EventStore,
  type Revision,
} from './port/event-store.js';
import { eventSubject } from './ref.js';

export const AGGREGATE_STORE = Symbol('AggregateStore');

/** The pause before a decision is made again: random, and longer after each conflict. Milliseconds. */
const PAUSE_MS = { first: 5, max: 100 };

/**
 * Loads, decides and appends. The one way from a command to an event.
 *
 * What is cached is only ever a starting point: each load reads what came after it, and each append compares and sets.
 */
export class AggregateStore {
  private readonly cache: AggregateCache;

  constructor(
    private readonly events: EventStore,
    private readonly options: {
      readonly cached?: CacheBounds;
      readonly decisionsMax?: number;
      /** Replaces the random part of a pause, 0 to 1. */
      readonly random?: () => number;
      /** Told of each event before it is written; what it throws keeps the commit from being written. */
      readonly checkEvent?: (event: DomainEvent) => void;
    } = {},
  ) {
    this.cache = new AggregateCache(options.cached);
  }

  /** Forgets every folded state: needed when the stream under it was replaced. */
  forget(): void {
    this.cache.clear();
  }

  /**
   * The aggregate as its commits make it; its initial state at revision 0 when it has none.
   *
   * @throws StoreUnavailable the stream could not be read.
   * @throws StreamDiverged what is stored contradicts what this process read before.
   */
  async load<Command, State, Event extends DomainEvent>(
    type: AggregateType<Command, State, Event>,
    workspace: WorkspaceId,
    id: string,
    consistency: Consistency = 'any',
  ): Promise<Loaded<State>> {
    const cached = await this.loadCached(type, { workspace, id }, consistency);
    return cached.loaded as Loaded<State>;
  }

  /**
   * The aggregate as its first commit alone makes it, without a read. It may have gone on since that commit was delivered:
   * good for a decision whose append compares and sets; not for an effect, nor to conclude that nothing is to be done.
   *
   * @returns null for any later commit.
   */
  begun<Command, State, Event extends DomainEvent>(
    type: AggregateType<Command, State, Event>,
    commit: Commit,
  ): Loaded<State> | null {
    if (commit.previous !== NO_COMMIT) return null;
    const cached = foldCommits(type, emptyOf(type, commit.ref), [commit]);
    this.cache.remember(cached);
    return cached.loaded as Loaded<State>;
  }

  /**
   * Appends what was decided on `loaded`, with a snapshot when one is due.
   *
   * @returns the aggregate after the commit. When the command had been appended before, as it is now.
   * @throws RevisionConflict another writer was first. Nothing was written.
   * @throws AppendFailed `outcome: 'unknown'` when it may have been written: retry with the same arguments.
   */
  async append<Command, State, Event extends DomainEvent>(
    type: AggregateType<Command, State, Event>,
    loaded: Loaded<State>,
    events: readonly Event[],
    commandId: CommandId,
    metadata: CommitMetadata,
  ): Promise<Loaded<State>> {
    const appended = await this.appendOnce(type, loaded, events, commandId, metadata);
    return appended.loaded;
  }

  /**
   * Decides a command and appends its events.
   *
   * Quiet answers (nothing new, or a refusal) that rest on a read which may be stale are decided again on the leader's.
   *
   * @param command or a function that makes it from the state that is being decided on.
   * @throws RuleViolation the command must not happen.
   * @throws Contended others kept changing the aggregate. Retryable.
   * @throws AppendFailed `outcome: 'unknown'` when it may have been written: retry with the same command id.
   */
  async execute<Command, State, Event extends DomainEvent>(
    type: AggregateType<Command, State, Event>,
    key: AggregateKey,
    command: Command | ((state: State) => Command),
    options: ExecuteOptions,
  ): Promise<Executed<State, Event>> {
    const decisionsMax = this.options.decisionsMax ?? DECISIONS_MAX;
    let consistency = options.consistency ?? 'any';
    let assumeNew = options.expectNew === true;
    for (let decisions = 1; ; decisions += 1) {
      const current = assumeNew
        ? emptyOf(type, key)
        : await this.loadCached(type, key, consistency);
      const loaded = current.loaded as Loaded<State>;
      const known = current.commands.get(options.commandId);
      if (known !== undefined) return this.repeatOf(loaded, known);
      const certain = !assumeNew && consistency === 'leader';
      assumeNew = false;
      consistency = 'leader'; // For every further look.
      let news: readonly Event[];
      try {
        news = this.decide(type, loaded, command, options.metadata.command);
      } catch (error) {
        if (certain || !(error instanceof RuleViolation)) throw error;
        continue;
      }
      if (news.length === 0) {
        if (certain) return { loaded, events: [], repeated: false };
        continue;
      }
      try {
        return await this.appendOnce(type, loaded, news, options.commandId, options.metadata);
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        if (decisions >= decisionsMax)
          throw new Contended(error.subject, decisions, { cause: error });
        await this.pauseBefore(decisions + 1);
      }
    }
  }

  private decide<Command, State, Event extends DomainEvent>(
    type: AggregateType<Command, State, Event>,
    loaded: Loaded<State>,
    command: Command | ((state: State) => Command),
    name: string,
  ): readonly Event[] {
    const span = tracing.open({
      name: `decide ${name}`,
      facts: { 'holdfast.revision': loaded.revision },
    });
    try {
      const news = type.decider.decide(commandFor(command, loaded.state), loaded.state);
      span.note({ 'holdfast.events': typesOf(news) });
      return news;
    } catch (error) {
      span.fail(codeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  private async loadCached<Command, State, Event extends DomainEvent>(
    type: AggregateType<Command, State, Event>,
    key: AggregateKey,
    consistency: Consistency,
  ): Promise<Cached> {
    const start = emptyOf(type, key);
    const subject = eventSubject(start.loaded.ref);
    const from = this.cache.get(subject) ?? start;
    try {
      const commits = await tracing.within(
        { name: `load ${start.loaded.ref.aggregate}` },
        async (span) => {
          const after = from.loaded.revision;
          const read = await this.events.read(start.loaded.ref, { consistency, after });
          span.note({ 'holdfast.commits': read.length });
          return read;
        },
      );
      if (commits.length === 0) return from;
      const cached = foldCommits(type, from, commits);
      this.cache.remember(cached);
      return cached;
    } catch (error) {
      if (error instanceof StreamDiverged) this.cache.delete(subject);
      throw error;
    }
  }

  private async appendOnce<Command, State, Event extends DomainEvent>(
    type: AggregateType<Command, State, Event>,
    loaded: Loaded<State>,
    events: readonly Event[],
    commandId: CommandId,
    metadata: CommitMetadata,
  ): Promise<Executed<State, Event>> {
    const state = fold((s: State, e: Event) => type.decider.evolve(s, e), loaded.state, events);
    const { ref, revision: expected } = loaded;
    for (const event of events) this.options.checkEvent?.(event);
    const snapshot = isSnapshotDue(type, loaded.state, state) ? { snapshot: state } : {};
    const { revision, repeated, trace } = await tracing.within(
      appendSpan(ref, events, metadata),
      async (span) => {
        const { traceparent } = span;
        const traced = traceparent === undefined ? metadata : { ...metadata, traceparent };
        const commit = { ref, expected, commandId, events, metadata: traced };
        const appended = await appendFitting(this.events, commit, snapshot);
        const { revision: at, repeated: again } = appended;
        span.note({ 'holdfast.revision': at, 'holdfast.repeated': again });
        return { ...appended, trace: traceparent };
      },
    );
    if (repeated) {
      const current = await this.loadCached(type, ref, 'leader');
      return this.repeatOf(current.loaded as Loaded<State>, revision);
    }
    const after = loadedAt(ref, state, revision, trace);
    this.cache.rememberAppended(after, expected, commandId);
    return { loaded: after, events, repeated: false };
  }

  private async repeatOf<State, Event>(
    loaded: Loaded<State>,
    revision: Revision,
  ): Promise<Executed<State, Event>> {
    const commit = await this.events.at(revision);
    if (commit === undefined)
      throw new StreamDiverged(`${eventSubject(loaded.ref)} lost its commit ${revision}`);
    return {
      loaded,
      events: commit.events as readonly Event[],
      repeated: true,
    };
  }

  private async pauseBefore(decision: number): Promise<void> {
    const ceiling = Math.min(PAUSE_MS.first * 2 ** (decision - 1), PAUSE_MS.max);
    const ms = ceiling * (this.options.random ?? Math.random)();
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

const commandFor = <Command, State>(
  command: Command | ((state: State) => Command),
  state: State,
): Command =>
  typeof command === 'function' ? (command as (state: State) => Command)(state) : command;
