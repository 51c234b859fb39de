import { bug, type RunId } from '#kernel';
import {
  entryOf,
  nextEntry,
  type Entry,
  type EntryContext,
  type EntryStep,
  type Grip,
  type JournalEvent,
} from '../domain/index.js';
import { EntryProgram } from './entry.program.js';
import { EntryReporter } from './entry.reporter.js';
import { NO_OUTPUT, NotStartable, type EndOfWork, type WorkerSurroundings } from './ports.js';
import { Pump, type Pace } from './pump.js';

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
  readonly #pump: Pump;
  readonly #program: EntryProgram;
  readonly #reporter: EntryReporter;

  constructor(
    readonly runId: RunId,
    readonly generation: number,
    private readonly around: WorkerSurroundings,
  ) {
    const onTrouble = (trouble: unknown): void => {
      around.onTrouble(this.key, trouble);
    };
    this.#pump = new Pump(() => this.#step(), around.timers, onTrouble);
    this.#reporter = new EntryReporter(runId, generation, around);
    this.#program = new EntryProgram(around.ports, around.timers, {
      changed: this.wake,
      trouble: onTrouble,
      // What comes just before the end travels with it, in one commit.
      receipts: (receipts) => {
        around.timers.after(around.receiptsLingerMs, () => {
          this.#reporter.receipts(receipts, () => this.#running);
        });
      },
    });
  }

  get key(): string {
    return `${this.runId}/${String(this.generation)}`;
  }

  /** It has a place: from before its claim to its end. Another initial frame of the run must not pass meanwhile. */
  get active(): boolean {
    return this.around.places.has(this.key);
  }

  /** The claim is granted, or the program runs, and the end is not yet acknowledged. */
  get open(): boolean {
    return this.#grip !== 'none' && this.#grip !== 'taken';
  }

  /** Nothing more happens here while the agent shuts down: its program goes on without it. */
  get leftRunning(): boolean {
    const { frame } = this.#entry();
    return (
      this.#running && frame !== null && this.around.ports.programs.traits(frame).outlivesClient
    );
  }

  get #running(): boolean {
    return this.#grip === 'watching' && this.#program.sighting === 'alive';
  }

  /** Starts with a frame that this incarnation has just journalled. */
  begin(): void {
    this.#grip = 'taken';
    this.wake();
  }

  /** Takes up an entry that an earlier incarnation left. */
  recover(): void {
    this.#lookDue = this.#entry().phase === 'go';
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

  /** Says again what was said before: the asker may have missed it. */
  repeat(): void {
    if (this.#running) {
      this.#reporter.running(() => this.#running);
      return;
    }
    this.#reportAgain = true;
    this.wake();
  }

  /** Takes no further step: the process ends, the program may go on. */
  abandon(): void {
    this.#pump.stop();
    this.#program.letGo();
  }

  readonly wake = (): void => {
    this.#pump.wake();
  };

  async #step(): Promise<Pace> {
    // An order to stop needs no look: the ladder finds what there is.
    if (this.#lookDue && !this.#stopAsked) await this.#program.look(this.#entry());
    this.#lookDue = false;
    const step = this.#next();
    return step === null ? 'idle' : this.#perform(step);
  }

  #entry(): Entry {
    const entry = entryOf(this.around.ports.journal.run(this.runId), this.generation);
    if (entry === undefined) throw bug(`no journal entry ${this.key}`);
    return entry;
  }

  #next(): EntryStep | null {
    const entry = this.#entry();
    const step = nextEntry(entry, this.around.ports.journal.run(this.runId), this.#context(entry));
    if (step.kind === 'take') return step.step;
    if (!entry.reported) return null;
    if (this.#reportAgain) return { kind: 'report' };
    this.around.places.release(this.key);
    this.around.onDone(this.key);
    return null;
  }

  #context(entry: Entry): EntryContext {
    const { ports, places, self } = this.around;
    const free = (): boolean => places.take(this.key, this.wake);
    return {
      incarnation: self.incarnation,
      grip: this.#grip,
      placeFree: this.#grip !== 'taken' || free(),
      stopAsked: this.#stopAsked,
      shuttingDown: this.#shuttingDown,
      timeUp: this.#program.timeUp,
      outlivesClient: entry.frame !== null && ports.programs.traits(entry.frame).outlivesClient,
      sighting: this.#program.sighting,
    };
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
        this.#program.start(this.#entry());
        this.#grip = 'watching';
        return 'on';
      case 'adopt':
        this.around.places.hold(this.key);
        this.#program.adopt(this.#entry());
        this.#grip = 'watching';
        this.#reporter.running(() => this.#running);
        this.around.onSettled(this.key);
        return 'on';
      case 'close':
        return this.#close(step.reason);
      case 'runLadder':
        await this.#journalEnd(await this.#program.stop(this.#entry(), step.by));
        this.#stopAsked = false; // Not before: an order whose ladder failed stands. What a ladder leaves is reported.
        return 'on';
      case 'journalExit':
        return this.#journalEnd(await this.#program.conclude(this.#entry(), 'exited'));
      case 'journalGone':
        return this.#journalEnd(await this.#program.conclude(this.#entry(), 'gone'));
      case 'report':
        return this.#report();
    }
  }

  async #claim(): Promise<Pace> {
    const { self, ports } = this.around;
    const { runId, generation } = this;
    const reply = await ports.commands.claim({ runId, generation, ...self }, this.#reporter.trace);
    switch (reply.kind) {
      case 'no-answer':
        return 'later';
      case 'refused':
        return this.#close(`the claim was refused: ${reply.code}`);
      case 'answer':
        if (reply.value.claim === 'refused')
          return this.#close(`the claim was refused: ${reply.value.reason}`);
        this.#grip = 'claimed';
        return 'on';
    }
  }

  async #startShim(): Promise<Pace> {
    const { runId, generation } = this;
    try {
      const { shim, child, workDirectory } = await this.#program.prepare(this.#entry());
      const at = this.around.ports.clock.now();
      const data = { runId, generation, at, shim, child, workDirectory };
      await this.#write({ type: 'ShimReady', data });
    } catch (error) {
      if (!(error instanceof NotStartable)) throw error;
      const end = { how: 'failed', code: error.code, exitCode: null } as const;
      return this.#journalEnd({ end, output: NO_OUTPUT, receipts: {} });
    }
    this.#grip = 'shim';
    return 'on';
  }

  /** Checked again in the same step as it is written: nothing of this run may have been started in between. */
  async #journalGo(): Promise<Pace> {
    const { journal, clock } = this.around.ports;
    const { runId, generation } = this;
    this.#grip = await journal.transition<Grip>(runId, (run) => {
      const entry = entryOf(run, generation);
      const step = entry && nextEntry(entry, run, this.#context(entry));
      const data = { runId, generation, at: clock.now() };
      return step?.kind === 'take' && step.step.kind === 'journalGo'
        ? { records: [{ type: 'GoDecided', data }], result: 'go' }
        : { records: [], result: this.#grip };
    });
    return 'on';
  }

  async #close(reason: string): Promise<Pace> {
    const { ports, self } = this.around;
    const { runId, generation } = this;
    this.#program.withdraw();
    await ports.journal.transition(runId, (run) => {
      const entry = entryOf(run, generation);
      const unstarted = entry?.phase === 'taken' || entry?.phase === 'shim';
      const { incarnation } = self;
      const data = { runId, generation, at: ports.clock.now(), reason, incarnation };
      return { records: unstarted ? [{ type: 'EntryClosed', data }] : [], result: undefined };
    });
    this.around.places.release(this.key);
    return 'on';
  }

  async #journalEnd({ end, output, receipts }: EndOfWork): Promise<Pace> {
    const { runId, generation } = this;
    const data = { runId, generation, at: this.around.ports.clock.now(), end, output, receipts };
    const before = this.#entry();
    await this.#write({ type: 'EndSeen', data });
    this.#reporter.ended(before, end);
    this.#program.letGo();
    this.around.places.release(this.key);
    return 'on';
  }

  async #report(): Promise<Pace> {
    const { runId, generation } = this;
    const entry = this.#entry();
    this.#reportAgain = false;
    const freed = await this.#program.withoutRemains(entry);
    if (freed !== null) return this.#journalEnd(freed);
    // An answer may have closed it in the journal while its program waited behind its shim.
    if (entry.phase === 'closed') this.#program.withdraw();
    const reply = await this.#reporter.end(entry);
    if (reply.kind === 'no-answer') {
      this.#reportAgain = entry.reported;
      return 'later';
    }
    if (reply.kind === 'refused') {
      const refusal = new Error(`the report of ${this.key} was refused: ${reply.code}`);
      this.around.onTrouble(this.key, refusal);
    }
    this.#grip = 'none';
    const at = this.around.ports.clock.now();
    if (!entry.reported)
      await this.#write({ type: 'EntryReported', data: { runId, generation, at } });
    return 'on';
  }

  async #write(record: JournalEvent): Promise<void> {
    await this.around.ports.journal.transition(this.runId, () => ({
      records: [record],
      result: undefined,
    }));
  }
}
