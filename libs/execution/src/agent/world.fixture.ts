import type {
  AskAnswer,
  ClaimAnswer,
  ClaimRequest,
  Frame,
  ReportAnswer,
  RunReport,
} from '#contracts';
import { RuleViolation, type Incarnation } from '#kernel';
import type { AttemptEnd } from '#runs/contract';
import { decideRun, evolveRun, initialRun, type RunCommand, type RunState } from '#runs/domain';
import type { RunEntries } from '../domain/index.js';
import { JOURNAL, Machine, type MachineFaults } from './machine.fixture.js';
import type { NodeAgent } from './node.agent.js';
import { commandOf, submissionOf } from './report.command.fixture.js';
import type { CommandReply, NodeCommands } from './ports.js';

export const RUN = '00000000-0000-5000-8000-000000000001';

/** A switched-off rule of the node, so that the test must notice; or surroundings that fail. */
interface Faults extends MachineFaults {
  readonly startsWithoutClaim?: boolean;
  /** The connection to `commands`: a claim is never answered, or a report is taken for malformed. */
  readonly claimsUnanswered?: boolean;
  readonly malformed?: (report: RunReport) => boolean;
}

/** A machine, and the stream of the one run that it is given. */
export class World extends Machine {
  override silentShims = true;
  run: RunState = initialRun(RUN);
  frames: Frame[] = [];

  constructor(
    readonly attempts: 'single' | 'resumable',
    private readonly switches: Faults = {},
  ) {
    super(switches);
    this.decide(submissionOf(RUN, attempts));
  }

  get entries(): RunEntries {
    return this.entriesOf(RUN);
  }

  decide(command: RunCommand): void {
    this.run = decideRun(command, this.run).reduce(evolveRun, this.run);
  }

  /** The saga's part, without a crash of its own: dispatches what is queued, and publishes its frame. */
  dispatch(): void {
    if (this.run.status !== 'queued') return;
    const generation = this.run.generation + 1;
    const times = { startBefore: 1, askAt: 2 };
    const base = { runId: RUN, now: 0, epoch: 1, node: 'n1', journalId: JOURNAL };
    this.decide({ type: 'DispatchRun', ...base, ...times, generation, journalsAnswered: false });
    const kind = this.run.attemptsEnded > 0 ? 'resume' : 'initial';
    this.frames.push({
      workspace: 'main',
      node: 'n1',
      journalId: JOURNAL,
      runId: RUN,
      sessionId: RUN,
      agent: 'echo',
      epoch: 1,
      generation,
      kind,
      prompt: kind === 'initial' ? 'hello' : null,
      thread: null,
      turn: null,
      key: RUN,
    });
  }

  async ask(agent: NodeAgent, question: 'status' | 'stop'): Promise<AskAnswer> {
    if (this.run.status === 'none') throw new Error('no run');
    const { generation, claim } = this.run;
    const holder: Incarnation | null = claim?.incarnation ?? null;
    return agent.answer({ question, runId: RUN, generation, journalId: JOURNAL, epoch: 1, holder });
  }

  /** The saga asks; what is unclaimed and does not wait for a place is taken back. */
  async askAsSaga(agent: NodeAgent): Promise<void> {
    if (this.run.status === 'none') return;
    const { generation } = this.run;
    const { answer } = await this.ask(agent, 'status');
    if (this.run.status !== 'dispatched' || answer === 'waiting' || answer === 'starting') return;
    const taken = { runId: RUN, now: 1, generation, epoch: 1, closedByJournal: false } as const;
    this.decide({ type: 'RevokeDispatch', ...taken, reason: `its node answers: ${answer}` });
  }

  protected get outlivesClient(): boolean {
    return this.attempts === 'resumable';
  }

  protected endOfGone(): AttemptEnd {
    return this.attempts === 'resumable'
      ? { how: 'interrupted', reason: 'client-died' }
      : { how: 'lost', reason: 'exit-not-seen', remains: [...this.orphans] };
  }

  protected commands(): NodeCommands {
    return {
      claim: (request): Promise<CommandReply<ClaimAnswer>> => {
        if (this.switches.startsWithoutClaim === true)
          return Promise.resolve({ kind: 'answer', value: { claim: 'granted' } });
        if (this.switches.claimsUnanswered === true) return Promise.resolve({ kind: 'no-answer' });
        return Promise.resolve(this.#claim(request));
      },
      report: (report): Promise<CommandReply<ReportAnswer>> => {
        if (this.switches.malformed?.(report) === true)
          return Promise.resolve({ kind: 'refused', code: 'invalid_request' });
        this.decide(commandOf(report));
        return Promise.resolve({ kind: 'answer', value: { recorded: true } });
      },
      claimSpawn: () => Promise.reject(new Error('a run is no spawn')),
      reportSpawn: () => Promise.reject(new Error('a run is no spawn')),
    };
  }

  #claim(request: ClaimRequest): CommandReply<ClaimAnswer> {
    try {
      this.decide({ type: 'ClaimRun', now: 0, epoch: 1, ...request });
      return { kind: 'answer', value: { claim: 'granted' } };
    } catch (error) {
      if (!(error instanceof RuleViolation)) throw error;
      return { kind: 'answer', value: { claim: 'refused', reason: error.code } };
    }
  }
}
