import { MortalProcess, type CrashPoint } from '#testing';
import type {
  AskAnswer,
  ClaimAnswer,
  ClaimRequest,
  Frame,
  ReportAnswer,
  RunReport,
} from '#contracts';
import { RuleViolation, type Incarnation } from '#kernel';
import { decideRun, evolveRun, initialRun, type RunCommand, type RunState } from '#runs/domain';
import {
  evolveEntries,
  noEntries,
  type Entry,
  type JournalEvent,
  type RunEntries,
  type Sighting,
} from '../domain/index.js';
import { NodeAgent } from './node.agent.js';
import { commandOf, submissionOf } from './report.command.fixture.js';
import {
  NO_OUTPUT,
  type AgentPorts,
  type CommandReply,
  type EndOfWork,
  type EntryJournal,
  type Programs,
  type Timers,
  type WaitingProgram,
} from './ports.js';

export const RUN = '00000000-0000-5000-8000-000000000001';
export const JOURNAL = 'journal-1';

/** What outlives an agent: the run's stream, the journal, the programs. Time stands still; timers fire when asked to. */
export class World {
  run: RunState = initialRun(RUN);
  entries: RunEntries = noEntries(RUN);
  sequence = 0;
  /** Programs by generation. `waiting` dies with its agent, as the shim's pipe closes. */
  readonly programs = new Map<number, 'waiting' | 'running' | 'exited' | 'gone'>();
  /** What a program that is gone has left alive. */
  orphans: string[] = [];
  /** The runtime's own ledger: prompts received, per generation. */
  readonly received: number[] = [];
  accompanied = 0; // How often somebody began to pass a program's output on.
  told = 0; // How often the agent told of the trouble that it was given.
  readonly #endings = new Map<number, ((seen: Exclude<Sighting, 'alive'>) => void)[]>();
  #timers: (() => void)[] = [];
  #incarnations = 0;
  frames: Frame[] = [];

  /** @param faults switches a rule of the node off, so that the test must notice, or makes its surroundings fail. */
  constructor(
    readonly attempts: 'single' | 'resumable',
    private readonly faults: {
      readonly startsWithoutClaim?: boolean;
      /** No look at a program succeeds. */
      trouble?: Error;
      /** The connection to `commands`: a claim is never answered, or a report is taken for malformed. */
      readonly claimsUnanswered?: boolean;
      readonly malformed?: (report: RunReport) => boolean;
    } = {},
  ) {
    this.decide(submissionOf(RUN, attempts));
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

  /** The running program ends: it wrote its exit, or was killed with its shim. */
  endProgram(how: 'exited' | 'gone'): void {
    for (const [generation, state] of this.programs)
      if (state === 'running') {
        this.programs.set(generation, how);
        for (const tell of this.#endings.get(generation) ?? []) tell(how);
      }
  }

  fireTimers(): void {
    const due = this.#timers;
    this.#timers = [];
    for (const fire of due) fire();
  }

  /** A new incarnation; what waited behind a shim of the old one is gone. */
  startAgent(point: CrashPoint | null): {
    readonly agent: NodeAgent;
    readonly life: MortalProcess;
  } {
    for (const [generation, state] of this.programs)
      if (state === 'waiting') this.programs.delete(generation);
    this.#timers = [];
    const life = new MortalProcess(point);
    const incarnation = `incarnation-${String((this.#incarnations += 1))}`;
    const timers: Timers = {
      after: (_ms, act) => {
        const fire = (): void => {
          if (!life.dead) act();
        };
        this.#timers.push(fire);
        return {
          cancel: () => {
            this.#timers = this.#timers.filter((other) => other !== fire);
          },
        };
      },
    };
    const agent = new NodeAgent(this.#portsOf(life), {
      self: { journalId: JOURNAL, incarnation },
      maxRuns: 4,
      timers,
      receiptsLingerMs: 20,
      hash: (text) => text,
      onTrouble: (_key, trouble) => {
        if (trouble !== this.faults.trouble) throw trouble;
        this.told += 1;
      },
    });
    return { agent, life };
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

  #portsOf(life: MortalProcess): AgentPorts {
    return {
      journal: life.through(this.#journal(), ['transition']),
      commands: life.through(this.#commands(), ['claim', 'report']),
      programs: life.through(this.#programs(life), [
        'prepare',
        'look',
        'conclude',
        'remains',
        'stop',
      ]),
      companions: {
        accompany: () => {
          this.accompanied += 1;
          return { finish: () => undefined };
        },
      },
      clock: { now: () => 0 },
    };
  }

  #journal(): EntryJournal {
    return {
      journalId: JOURNAL,
      sequenceOf: () => this.sequence,
      run: () => this.entries,
      unreported: () => this.entries.entries.filter((entry: Entry) => !entry.reported),
      transition: <Result>(
        _runId: string,
        decide: (run: RunEntries) => { records: readonly JournalEvent[]; result: Result },
      ): Promise<Result> => {
        const { records, result } = decide(this.entries);
        this.entries = records.reduce(evolveEntries, this.entries);
        this.sequence += records.length;
        return Promise.resolve(result);
      },
    };
  }

  #commands() {
    return {
      claim: (request: ClaimRequest): Promise<CommandReply<ClaimAnswer>> => {
        if (this.faults.startsWithoutClaim === true)
          return Promise.resolve({ kind: 'answer', value: { claim: 'granted' } });
        if (this.faults.claimsUnanswered === true) return Promise.resolve({ kind: 'no-answer' });
        return Promise.resolve(this.#claim(request));
      },
      report: (report: RunReport): Promise<CommandReply<ReportAnswer>> => {
        if (this.faults.malformed?.(report) === true)
          return Promise.resolve({ kind: 'refused', code: 'invalid_request' });
        this.decide(commandOf(report));
        return Promise.resolve({ kind: 'answer', value: { recorded: true } });
      },
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

  #programs(life: MortalProcess): Programs {
    const outlivesClient = this.attempts === 'resumable';
    const ended = (generation: number): Promise<Exclude<Sighting, 'alive'>> =>
      new Promise((resolve) => {
        const state = this.programs.get(generation);
        if (state === 'exited' || state === 'gone') resolve(state);
        this.#endings.set(generation, [...(this.#endings.get(generation) ?? []), resolve]);
      });
    const look = ({ generation }: Entry): Promise<Sighting> => {
      if (this.faults.trouble !== undefined) return Promise.reject(this.faults.trouble);
      const state = this.programs.get(generation);
      return Promise.resolve(state === 'running' ? 'alive' : state === 'exited' ? state : 'gone');
    };
    const identity = { pid: 1, startTicks: 1, bootId: 'boot' };
    return {
      traits: () => ({ outlivesClient, timeLimitMs: null }),
      prepare: ({ generation, kind }): Promise<WaitingProgram> => {
        this.programs.set(generation, 'waiting');
        return Promise.resolve({
          shim: identity,
          child: identity,
          workDirectory: `/work/${String(generation)}`,
          giveGo: () => {
            if (life.dead || this.programs.get(generation) !== 'waiting') return;
            this.programs.set(generation, 'running');
            if (kind === 'initial') this.received.push(generation);
          },
          abandon: () => {
            if (this.programs.get(generation) === 'waiting') this.programs.delete(generation);
          },
          ended: ended(generation),
          close: () => undefined,
        });
      },
      look,
      watch: (entry) => ({ ended: ended(entry.generation), close: () => undefined }),
      receipts: () => Promise.resolve({}),
      conclude: (_entry, seen): Promise<EndOfWork> =>
        Promise.resolve({
          end:
            seen === 'exited'
              ? { how: 'completed', exitCode: 0 }
              : this.attempts === 'resumable'
                ? { how: 'interrupted', reason: 'client-died' }
                : { how: 'lost', reason: 'exit-not-seen', remains: [...this.orphans] },
          output: NO_OUTPUT,
          receipts: {},
        }),
      remains: () => Promise.resolve([...this.orphans]),
      stop: (entry) => {
        const endedByItself = this.programs.get(entry.generation) !== 'running';
        if (!endedByItself) this.programs.set(entry.generation, 'gone');
        this.orphans = [];
        return Promise.resolve({ remains: [], endedByItself });
      },
    };
  }
}
