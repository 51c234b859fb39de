import type { Frame } from '#contracts';
import { Contended, RevisionConflict, type Commit, type Loaded } from '#event-store';
import { HintTimers, KeyedAdvances, type Saw } from '#hosting';
import {
  RuleViolation,
  type Instant,
  type Provenance,
  type RunId,
  type SessionId,
  type Step,
  type WorkspaceId,
} from '#kernel';
import { ExpiringCache } from '#platform';
import { tracing, type SpanInfo } from '#tracing';
import type { SessionAdvancer } from '#sessions/contract';
import type { RunAdvancer } from '../contract/index.js';
import { isOver, type RunEvent, type RunState } from '../domain/index.js';
import type { RunSurroundings } from './run.surroundings.js';
import { nextRun, type RunContext, type RunStep, type RunWindows } from './run.next.js';
import type { LoadedRun, Performed } from './run.performed.js';
import type { RunSagaPorts } from './run.ports.js';
import { performRunStep } from './run.step.js';

/** What a wake-up brings along. */
interface Demand {
  readonly doubt: string | null;
  /** The run as the commit that woke us makes it, where that is enough to begin with. */
  readonly begun: LoadedRun | null;
}

/** A run as an advance leaves it. */
interface Left {
  readonly sessionId: SessionId;
  /** Its place in the session may be given away. */
  readonly over: boolean;
}

/** How often one advance looks again, whatever others do meanwhile. Source: the protocol's bound for decisions. */
const LOOKS_MAX = 16;
/** What this process remembers of runs: entries, and for how long, ms. Forgetting costs a question or a publish. */
const REMEMBERED = { max: 2_000, ms: 3_600_000 };

/** Events after which no run needs a step: what they begin ends with a report, or with a deadline. */
const QUIET: ReadonlySet<RunEvent['type']> = new Set([
  'RunClaimed',
  'RunReceiptsRecorded',
  'RunStartWindowExtended',
  'LateEvidenceRecorded',
]);

/**
 * Moves runs on: loads from the leader, asks `nextRun`, performs that one step, and looks again until there is nothing to
 * do now. An event, a request of the reconciler and a restart all come in here. The event of a submission says enough to
 * dispatch the run without a load: that step is an append, and loses where the run has gone on.
 */
export class RunSaga implements RunAdvancer {
  private readonly advances: KeyedAdvances<Demand, Left | null>;
  private readonly hints: HintTimers;
  private readonly published: ExpiringCache<true>;
  private readonly asked: ExpiringCache<Instant>;
  /** The ports, with a note of what was published. */
  private readonly effects: RunSagaPorts;

  /** @param onProblem told when a hint of this process led to nothing; the reconciler finds what is due. */
  constructor(
    ports: RunSagaPorts,
    private readonly surroundings: RunSurroundings,
    private readonly sessions: SessionAdvancer,
    private readonly windows: RunWindows,
    onProblem: (problem: unknown, run: string) => void,
  ) {
    this.advances = new KeyedAdvances(
      (key, demand, saw) => this.moveOn(key, demand, saw),
      (one, other) => ({ doubt: one.doubt ?? other.doubt, begun: null }),
    );
    this.hints = new HintTimers((key) => {
      const [workspace = '', runId = ''] = key.split('/');
      this.advance(workspace, runId).catch((problem: unknown) => {
        onProblem(problem, key);
      });
    });
    this.effects = {
      now: () => ports.now(),
      load: (workspace, runId) => ports.load(workspace, runId),
      begun: (commit) => ports.begun(commit),
      append: (run, command) => ports.append(run, command),
      ask: (workspace, node, request) => ports.ask(workspace, node, request),
      journalsOf: (workspace, node) => ports.journalsOf(workspace, node),
      publishFrame: async (frame) => {
        await ports.publishFrame(frame);
        this.published.set(publishedKey(frame), true);
      },
    };
    this.published = new ExpiringCache(REMEMBERED.max, REMEMBERED.ms, () => ports.now());
    this.asked = new ExpiringCache(REMEMBERED.max, REMEMBERED.ms, () => ports.now());
  }

  /** After a commit of a run. */
  async onCommit(commit: Commit): Promise<void> {
    const { workspace, id: runId } = commit.ref;
    const types = commit.events.map(({ type }) => type);
    const isQuiet = types.every((type) => QUIET.has(type as RunEvent['type']));
    // What it waited for has come, or it is another run now. A further window is still waited for.
    if (!isQuiet || types.includes('RunClaimed')) this.hints.cancel(keyOf(workspace, runId));
    if (isQuiet) return;
    const demand = { doubt: null, begun: this.openerIn(commit) };
    await this.follow(workspace, runId, demand, commit.revision);
  }

  /** @param doubt what contradicts what the run says, if whoever calls found something. */
  async advance(workspace: WorkspaceId, runId: RunId, doubt: string | null = null): Promise<void> {
    await this.follow(workspace, runId, { doubt, begun: null }, Infinity);
  }

  /** Forgets the hints, and waits for what is under way. */
  async stop(): Promise<void> {
    this.hints.clear();
    await this.advances.settled();
  }

  private async follow(
    workspace: WorkspaceId,
    runId: RunId,
    demand: Demand,
    revision: number,
  ): Promise<void> {
    const left = await this.advances.advance(keyOf(workspace, runId), demand, revision);
    // Not while the run is being advanced: the session may advance it in turn.
    if (left?.over === true) await this.sessions.advance(workspace, left.sessionId);
  }

  private async moveOn(key: string, demand: Demand, saw: Saw): Promise<Left | null> {
    const [workspace = '', runId = ''] = key.split('/');
    let { doubt, begun } = demand;
    let run: Loaded<RunState> | null = begun;
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      run ??= await this.effects.load(workspace, runId);
      saw(run.revision);
      if (!exists(run)) return null;
      const context = await this.contextOf(run, doubt);
      const next = nextRun(run.state, context);
      if (begun !== null) {
        begun = null;
        if (!isDispatch(next)) {
          run = null; // Only an append may rest on what may be old news.
          continue;
        }
      }
      if (next.kind !== 'take') return this.leave(run, next);
      try {
        const performed = await this.perform(run, next.step, context);
        switch (performed.kind) {
          case 'moved':
            // Nothing was appended, so looking again would find the same.
            if (performed.run.revision === run.revision && next.step.kind !== 'publishFrame')
              return this.leave(run, next);
            if (next.step.kind === 'ask' || next.step.kind === 'sendStop') doubt = null;
            ({ run } = performed);
            break;
          case 'asked':
            return this.leave(run, nextRun(run.state, { ...context, ...this.answered(run) }));
          case 'stuck':
            return this.leave(run, next);
        }
      } catch (error) {
        if (!(error instanceof RevisionConflict) && !(error instanceof RuleViolation)) throw error;
        run = null; // Somebody else was first: look again.
      }
    }
    throw new Contended(key, LOOKS_MAX, { cause: undefined });
  }

  /** Only of a run that opens its session: for any other more is asked, and done, than an append. */
  private openerIn(commit: Commit): LoadedRun | null {
    const begun = this.effects.begun(commit);
    return begun !== null && exists(begun) && begun.state.submission.opensSession ? begun : null;
  }

  private async contextOf(run: LoadedRun, doubt: string | null): Promise<FullContext> {
    const { lastHeardAt, ...seen } = await this.surroundings.of(run, BY);
    const generation = generationKey(run);
    return {
      ...seen,
      lastHeardAt,
      now: this.effects.now(),
      doubt,
      framePublished: this.published.get(generation) === true,
      lastAnsweredAt: this.asked.get(generation) ?? null,
      windows: this.windows,
    };
  }

  private async perform(run: LoadedRun, step: RunStep, context: FullContext): Promise<Performed> {
    const performed = await tracing.within(spanOf(run, step), () =>
      performRunStep(run, step, context, this.effects),
    );
    if (ASKS.has(step.kind)) this.asked.set(generationKey(run), this.effects.now());
    return performed;
  }

  /** What is known after a question: whatever was in doubt has been asked about. */
  private answered(run: LoadedRun): Partial<RunContext> {
    return {
      doubt: null,
      now: this.effects.now(),
      lastAnsweredAt: this.asked.get(generationKey(run)) ?? null,
    };
  }

  private leave(run: LoadedRun, next: Step<RunStep>): Left {
    if (next.kind === 'lookAgainAt')
      this.hints.set(keyOf(run.ref.workspace, run.ref.id), next.at - this.effects.now());
    return { sessionId: run.state.submission.sessionId, over: isOver(run.state) };
  }
}

type FullContext = RunContext & { readonly lastHeardAt: Instant | null };

/** A run is moved on in its own trace, whatever woke it. */
const spanOf = ({ ref, state, trace }: LoadedRun, { kind }: RunStep): SpanInfo => ({
  name: `step ${kind}`,
  continues: trace,
  facts: {
    'holdfast.step': kind,
    'holdfast.workspace': ref.workspace,
    'holdfast.id': ref.id,
    'holdfast.generation': state.generation,
  },
});

/** Who makes the commits of sagas. */
const BY: Provenance = { actor: 'service:sagas' };

/** After these, whatever the answer, the node is left in peace for a while. */
const ASKS: ReadonlySet<RunStep['kind']> = new Set(['ask', 'sendStop', 'askAgain']);

const exists = (run: Loaded<RunState>): run is LoadedRun => run.state.status !== 'none';

const isDispatch = (next: Step<RunStep>): boolean =>
  next.kind === 'take' && next.step.kind === 'dispatch';

const keyOf = (workspace: WorkspaceId, runId: RunId): string => `${workspace}/${runId}`;

const generationKey = (run: LoadedRun): string =>
  `${keyOf(run.ref.workspace, run.ref.id)}/${String(run.state.generation)}`;

const publishedKey = ({ workspace, runId, generation }: Frame): string =>
  `${keyOf(workspace, runId)}/${String(generation)}`;
