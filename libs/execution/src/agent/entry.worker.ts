import {
  leftovers,
  nextEntry,
  type Entry,
  type EntryContext,
  type EntryKey,
  type EntryStep,
  type Grip,
  type RunEntries,
  type WorkKind,
} from '../domain/index.js';
import { EntryProgram } from './entry.program.js';
import { EntryRecords } from './entry.records.js';
import { refusalOf, type EntryReporter } from './entry.reporter.js';
import { EntryTrace } from './entry.trace.js';
import { NO_OUTPUT, NotStartable, type EndOfWork, type WorkerSurroundings } from './ports.js';
import { Pump, type Pace } from './pump.js';
import { RunReporter } from './run.reporter.js';
import { SpawnReporter } from './spawn.reporter.js';

/**
 * Carries one journal entry from its frame to its acknowledged report, one step at a time: asks the pure `nextEntry`,
 * performs that one step, and asks again. What it holds beside the journal dies with the process, and may.
 */
export class EntryWorker {
  #grip: Grip = 'none';
  #stopAsked = false;
  #shuttingDown = false;
  /** What an earlier incarnation started was not looked at yet. */
  #lookDue = false;
  /** An ask wants the report of an entry that was reported before. */
  #reportAgain = false;
  #abandoned = false;
  readonly #trace = new EntryTrace();
  readonly #pump: Pump;
  readonly #records: EntryRecords;
  readonly #program: EntryProgram;
  readonly #reporter: EntryReporter;

  constructor(
    key: EntryKey,
    readonly work: WorkKind,
    private readonly around: WorkerSurroundings,
  ) {
    const { ports, timers } = around;
    const onTrouble = (trouble: unknown): void => {
      around.onTrouble(this.key, trouble);
    };
    this.#pump = new Pump(() => this.#step(), timers, onTrouble);
    this.#records = new EntryRecords(key, ports.journal, ports.clock);
    this.#reporter = this.#reporterOf(work, onTrouble);
    this.#program = new EntryProgram(ports, timers, {
      changed: this.wake,
      trouble: onTrouble,
      // What comes just before the end travels with it, in one commit.
      receipts: (receipts) => {
        timers.after(around.receiptsLingerMs, () => {
          this.#reporter.receipts(receipts, this.#stillRuns);
        });
      },
    });
  }

  get runId(): string {
    return this.#records.runId;
  }

  get generation(): number {
    return this.#records.generation;
  }

  get key(): string {
    return this.#records.key;
  }

  /** It has a place: from before its claim to its end. Another initial frame of its id must not pass meanwhile. */
  get active(): boolean {
    return this.around.places.has(this.key);
  }

  /** The claim is granted, or the program runs, and the end is not yet acknowledged. */
  get open(): boolean {
    return this.#grip !== 'none' && this.#grip !== 'taken';
  }

  /** Nothing more happens here while the agent shuts down: its program goes on without it. */
  get leftRunning(): boolean {
    const { entry } = this.#records;
    const lives = this.#running || (this.work === 'spawn' && leftovers(entry));
    return lives && this.#outlivesClient(entry);
  }

  get #running(): boolean {
    return this.#grip === 'watching' && this.#program.sighting === 'alive';
  }

  readonly #stillRuns = (): boolean => this.#running && !this.#abandoned;

  /** Starts with a frame that this incarnation has just journalled. */
  begin(): void {
    this.#grip = 'taken';
    this.wake();
  }

  /** Takes up an entry that an earlier incarnation left. */
  recover(): void {
    this.#lookDue = this.#records.entry.phase === 'go';
    this.wake();
  }

  askStop(): void {
    this.#stopAsked = true;
    this.wake();
  }

  shutDown(): void {
    this.#shuttingDown = true;
    this.wake();
  }

  /** Claims what was started before a restore, and says what became of it. @throws Error nobody answered. */
  async claimForgotten(): Promise<void> {
    const { kind } = await this.#reporter.claim();
    this.repeat(); // Also when it was refused: that an agent is there is worth knowing.
    if (kind === 'no-answer') throw new Error(`the claim of ${this.key} was not answered`);
  }

  /** Says again what was said before: the asker may have missed it. */
  repeat(): void {
    if (this.#running) {
      this.#reporter.lives(this.#stillRuns);
      return;
    }
    this.#reportAgain = true;
    this.wake();
  }

  /** Takes no further step: the process ends, the program may go on. */
  abandon(): void {
    this.#abandoned = true;
    this.#pump.stop();
    this.#program.letGo();
  }

  readonly wake = (): void => {
    this.#pump.wake();
  };

  async #step(): Promise<Pace> {
    // An order to stop needs no look: the ladder finds what there is.
    if (this.#lookDue && !this.#stopAsked) await this.#program.look(this.#records.entry);
    this.#lookDue = false;
    const step = this.#next();
    return step === null ? 'idle' : this.#perform(step);
  }

  #next(): EntryStep | null {
    const { entry, run } = this.#records;
    const step = nextEntry(entry, run, this.#context(entry));
    if (step.kind === 'take') return step.step;
    if (!entry.reported) return null;
    if (this.#reportAgain) return { kind: 'report' };
    this.around.places.release(this.key);
    this.around.onDone(this.key);
    return null;
  }

  #context(entry: Entry): EntryContext {
    const { places, self } = this.around;
    const free = (): boolean => places.take(this.key, this.wake);
    return {
      incarnation: self.incarnation,
      grip: this.#grip,
      placeFree: this.#grip !== 'taken' || free(),
      stopAsked: this.#stopAsked,
      shuttingDown: this.#shuttingDown,
      timeUp: this.#program.timeUp,
      outlivesClient: this.#outlivesClient(entry),
      sighting: this.#program.sighting,
    };
  }

  /** An agent that was spawned is ended by a stop, and not because its node starts anew. */
  #outlivesClient({ frame }: Entry): boolean {
    if (this.work === 'spawn') return true;
    return frame !== null && this.around.ports.programs.traits(frame).outlivesClient;
  }

  async #perform(step: EntryStep): Promise<Pace> {
    switch (step.kind) {
      case 'claim':
        return this.#claim();
      case 'startShim':
        return this.#startShim();
      case 'journalGo':
        return this.#journalGo();
      case 'giveGo':
        this.#program.start(this.#records.entry);
        this.#grip = 'watching';
        this.#reporter.started(this.#stillRuns);
        this.around.onSettled(this.key);
        return 'on';
      case 'adopt':
        this.around.places.hold(this.key);
        this.#program.adopt(this.#records.entry);
        this.#grip = 'watching';
        this.#reporter.lives(this.#stillRuns);
        this.around.onSettled(this.key);
        return 'on';
      case 'close':
        return this.#close(step.reason);
      case 'runLadder':
        await this.#journalEnd(await this.#program.stop(this.#records.entry, step.by));
        this.#stopAsked = false; // Not before: an order whose ladder failed stands. What a ladder leaves is reported.
        return 'on';
      case 'journalExit':
        return this.#journalEnd(await this.#program.conclude(this.#records.entry, 'exited'));
      case 'journalGone':
        return this.#journalEnd(await this.#program.conclude(this.#records.entry, 'gone'));
      case 'report':
        return this.#report();
    }
  }

  async #claim(): Promise<Pace> {
    const reply = await this.#reporter.claim();
    if (reply.kind === 'no-answer') return 'later';
    const refusal = refusalOf(reply);
    if (refusal !== null) return this.#close(`the claim was refused: ${refusal}`);
    this.#grip = 'claimed';
    return 'on';
  }

  async #startShim(): Promise<Pace> {
    try {
      await this.#records.shimReady(await this.#program.prepare(this.#records.entry));
    } catch (error) {
      if (!(error instanceof NotStartable)) throw error;
      // Of an agent, that it was certainly not started is all there is to say; a run has failed, with a code for its caller.
      if (this.work === 'spawn') return this.#close(error.message);
      const end = { how: 'failed', code: error.code, exitCode: null } as const;
      return this.#journalEnd({ end, output: NO_OUTPUT, receipts: {} });
    }
    this.#grip = 'shim';
    return 'on';
  }

  async #journalGo(): Promise<Pace> {
    const isDue = (entry: Entry, run: RunEntries): boolean => {
      const step = nextEntry(entry, run, this.#context(entry));
      return step.kind === 'take' && step.step.kind === 'journalGo';
    };
    if (await this.#records.decideGo(isDue)) this.#grip = 'go';
    return 'on';
  }

  async #close(reason: string): Promise<Pace> {
    this.#program.withdraw();
    await this.#records.closeIfUnstarted(reason, this.around.self.incarnation);
    this.around.places.release(this.key);
    return 'on';
  }

  async #journalEnd(end: EndOfWork): Promise<Pace> {
    const before = this.#records.entry;
    await this.#records.endSeen(end);
    this.#trace.ended(before, end.end);
    this.#program.letGo();
    this.around.places.release(this.key);
    return 'on';
  }

  async #report(): Promise<Pace> {
    const { entry } = this.#records;
    this.#reportAgain = false;
    const freed = await this.#program.withoutRemains(entry);
    if (freed !== null) return this.#journalEnd(freed);
    // An answer may have closed it in the journal while its program waited behind its shim.
    if (entry.phase === 'closed') this.#program.withdraw();
    const reply = await this.#reporter.outcome(entry);
    if (reply.kind === 'no-answer') {
      this.#reportAgain = entry.reported;
      return 'later';
    }
    if (reply.kind === 'refused')
      this.around.onTrouble(this.key, new Error(`the report was refused: ${reply.code}`));
    this.#grip = 'none';
    if (!entry.reported) await this.#records.reported();
    return 'on';
  }

  #reporterOf(work: WorkKind, onTrouble: (trouble: unknown) => void): EntryReporter {
    const { ports, self, timers } = this.around;
    const records = this.#records;
    const trace = (): string | undefined => this.#trace.contextOf(records.entry);
    const around = { commands: ports.commands, timers, self, records, trace, onTrouble };
    return work === 'spawn' ? new SpawnReporter(around) : new RunReporter(around);
  }
}
