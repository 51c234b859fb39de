import { fold } from '#kernel';
import type { Commit } from '#event-store';
import { connectLink, JetStreamEventFeed, JetStreamEventStore, type NatsLink } from '#nats';
import { Turns } from '#platform';
import { isSettled } from '#runs/contract';
import { evolveRun, initialRun, isOver, type RunEvent, type RunState } from '#runs/domain';
import type { SpawnEvent } from '#spawns/domain';
import { evolveSession, initialSession, type SessionEvent } from '#sessions/domain';

/** The streams as an outsider reads them: nothing here goes through a service or a projection. */
export class StreamReader {
  #known: readonly Commit[] = [];
  readonly #turns = new Turns();

  private constructor(private readonly link: NatsLink) {}

  static async connect(url: string): Promise<StreamReader> {
    return new StreamReader(await connectLink({ url, name: 'test' }));
  }

  close(): Promise<void> {
    return this.link.close();
  }

  end(): Promise<number> {
    return new JetStreamEventStore(this.link).end();
  }

  /** Every commit there is, in stream order. What was read before is not read again: nothing in the stream ever changes. */
  all(): Promise<readonly Commit[]> {
    return this.#turns.take('all', () => this.#readOn());
  }

  /** As {@link all}, with nothing taken from memory: for what must hold in the end. */
  allAnew(): Promise<readonly Commit[]> {
    return this.#turns.take('all', () => {
      this.#known = [];
      return this.#readOn();
    });
  }

  async #readOn(): Promise<readonly Commit[]> {
    const end = await this.end();
    const after = this.#known.at(-1)?.revision ?? 0;
    if (end <= after) return this.#known;
    const stop = new AbortController();
    const commits: Commit[] = [];
    const options = { after, batchMax: 500, lingerMs: 1, signal: stop.signal };
    for await (const batch of new JetStreamEventFeed(this.link).follow(options)) {
      commits.push(...batch);
      if ((batch.at(-1)?.revision ?? 0) >= end) break;
    }
    stop.abort();
    this.#known = [...this.#known, ...commits];
    return this.#known;
  }

  async run(runId: string): Promise<readonly RunEvent[]> {
    return (await this.#eventsOf('run', runId)) as readonly RunEvent[];
  }

  async spawn(spawnId: string): Promise<readonly SpawnEvent[]> {
    return (await this.#eventsOf('spawn', spawnId)) as readonly SpawnEvent[];
  }

  async #eventsOf(aggregate: string, id: string): Promise<readonly unknown[]> {
    const ref = { aggregate, workspace: 'main', id };
    const commits = await new JetStreamEventStore(this.link).read(ref, { consistency: 'leader' });
    return commits.flatMap(({ events }) => events);
  }
}

export const foldRun = (runId: string, events: readonly RunEvent[]): RunState =>
  fold(evolveRun, initialRun(runId), events);

/** Folds of all runs, by the deciders' own rules. */
export const runsOf = (commits: readonly Commit[]): ReadonlyMap<string, RunState> => {
  const runs = new Map<string, RunState>();
  for (const { ref, events } of commits)
    if (ref.aggregate === 'run') {
      const before = runs.get(ref.id) ?? initialRun(ref.id);
      runs.set(ref.id, fold(evolveRun, before, events as readonly RunEvent[]));
    }
  return runs;
};

/** Subjects on which a commit does not follow the one that it names: two writers decided on the same past. */
export const brokenChains = (commits: readonly Commit[]): readonly string[] => {
  const last = new Map<string, number>();
  return commits.flatMap(({ ref, previous, revision }) => {
    const subject = `${ref.aggregate}.${ref.workspace}.${ref.id}`;
    const expected = last.get(subject) ?? 0;
    last.set(subject, revision);
    return previous === expected
      ? []
      : [`${subject}@${String(revision)} follows ${String(previous)}, not ${String(expected)}`];
  });
};

const ACTIVE = ['dispatched', 'running', 'stopping'];

/** Moments at which two runs of one session were active. */
export const crowdedSessions = (commits: readonly Commit[]): readonly string[] => {
  const runs = new Map<string, RunState>();
  const crowded = new Set<string>();
  for (const { ref, events } of commits) {
    if (ref.aggregate !== 'run') continue;
    runs.set(
      ref.id,
      fold(evolveRun, runs.get(ref.id) ?? initialRun(ref.id), events as readonly RunEvent[]),
    );
    const changed = runs.get(ref.id);
    if (changed === undefined || changed.status === 'none') continue;
    const { sessionId } = changed.submission;
    const active = [...runs.values()].filter(
      (run) =>
        run.status !== 'none' &&
        run.submission.sessionId === sessionId &&
        ACTIVE.includes(run.status),
    );
    if (active.length > 1) crowded.add(sessionId);
  }
  return [...crowded];
};

/** Sessions in which somebody waits though the place is free: whoever holds it is over, by the stream as it stands. */
export const stuckSessions = (commits: readonly Commit[]): readonly string[] => {
  const runs = runsOf(commits);
  const sessions = new Map<string, ReturnType<typeof initialSession>>();
  for (const { ref, events } of commits)
    if (ref.aggregate === 'session')
      sessions.set(
        ref.id,
        fold(
          evolveSession,
          sessions.get(ref.id) ?? initialSession(ref.id),
          events as readonly SessionEvent[],
        ),
      );
  const isFree = (active: string): boolean => isOver(runs.get(active) ?? initialRun(active));
  return [...sessions.values()]
    .filter(({ queue, active }) => queue.length > 0 && isFree(active))
    .map(({ sessionId }) => sessionId);
};

/** Runs that were settled and then stood elsewhere: the first settlement stands for good. */
export const changedAfterSettlement = (commits: readonly Commit[]): readonly string[] => {
  const runs = new Map<string, RunState>();
  const changed: string[] = [];
  for (const { ref, events } of commits) {
    if (ref.aggregate !== 'run') continue;
    const before = runs.get(ref.id) ?? initialRun(ref.id);
    const after = fold(evolveRun, before, events as readonly RunEvent[]);
    runs.set(ref.id, after);
    if (isSettled(before.status) && after.status !== before.status)
      changed.push(`${ref.id} was ${before.status}, and then ${after.status}`);
  }
  return changed;
};

/** Unknown outcomes that do not say why. */
export const unexplainedUnknowns = (commits: readonly Commit[]): readonly string[] =>
  commits
    .filter(({ ref }) => ref.aggregate === 'run')
    .flatMap(({ ref, events }) =>
      (events as readonly RunEvent[]).flatMap((event) =>
        event.type === 'RunOutcomeUnknown' && event.data.evidence.reason.trim() === ''
          ? [`${ref.id} became unknown without a word of evidence`]
          : [],
      ),
    );
