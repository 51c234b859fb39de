import type { AskAnswer, AskRequest, Frame } from '#contracts';
import { bug } from '#kernel';
import { openSetText, type LeaseBody } from '#nodes/contract';
import {
  decideAsk,
  decideFrame,
  entryOf,
  type Entry,
  type EntryKey,
  type JournalEvent,
  type RunEntries,
} from '../domain/index.js';
import { keyOf } from './entry.records.js';
import { EntryWorker } from './entry.worker.js';
import { Places } from './places.js';
import type { AgentPorts, Self, Timers, WorkerSurroundings } from './ports.js';

export interface NodeAgentOptions {
  readonly self: Self;
  /** 1 to 1,000 concurrent runs. */
  readonly maxRuns: number;
  readonly timers: Timers;
  readonly receiptsLingerMs: number;
  /** The harnesses that could not start an agent now; asked at each renewal of the lease. */
  readonly notReady: () => readonly string[];
  /** SHA-256, hex: names the set of open generations in the lease. */
  readonly hash: (text: string) => string;
  readonly onTrouble: (key: string, trouble: unknown) => void;
}

/**
 * The node's side of the protocol: takes frames into the journal, carries each entry to its report, answers what it is
 * asked, and says in its lease what it holds. Starts by taking up whatever an earlier incarnation left.
 */
export class NodeAgent {
  readonly #workers = new Map<string, EntryWorker>();
  readonly #recovering = new Set<string>();
  readonly #places: Places;
  /** An agent has its place by its node's own stream: nothing waits for one here. */
  readonly #placesOfAgents = new Places(Infinity);
  #shuttingDown = false;
  #idle: (() => void) | null = null;

  constructor(
    private readonly ports: AgentPorts,
    private readonly options: NodeAgentOptions,
  ) {
    this.#places = new Places(options.maxRuns);
  }

  /**
   * Takes up every entry that is not reported; call it before the first frame. Each looks for its program by itself: what
   * goes wrong with one of them is told, tried again, and keeps no other waiting.
   */
  recover(): void {
    const left = this.ports.journal.unreported();
    for (const entry of left) this.#recovering.add(keyOf(entry));
    for (const entry of left) this.#carry(entry).recover();
  }

  /**
   * A frame came. When this settles, it is durable here (or refused for good), and may be acknowledged.
   *
   * @throws Error it must come again: the agent shuts down, or a claim that was forgotten is not made anew.
   */
  async takeFrame(frame: Frame): Promise<void> {
    if (this.#shuttingDown) throw new Error('the agent shuts down, and takes no more frames');
    const { runId, generation } = frame;
    const decision = await this.ports.journal.transition(runId, (run) => {
      const at = this.ports.clock.now();
      const decided = decideFrame(run, frame, this.options.self, this.#startsElsewhere(run), at);
      return { records: 'record' in decided ? [decided.record] : [], result: decided.kind };
    });
    if (decision === 'ignore') return;
    const worker = this.#carry({ runId, generation });
    if (decision === 'forgotten') await worker.claimForgotten();
    else if (decision === 'take') worker.begin();
    else worker.wake();
  }

  /** A saga asks. What the answer promises is durable before it is given. */
  async answer(ask: AskRequest): Promise<AskAnswer> {
    const { self } = this.options;
    if (ask.journalId !== self.journalId)
      return { answer: 'other-journal', journalId: self.journalId };
    const key = keyOf(ask);
    const decided = await this.ports.journal.transition(ask.runId, (run) => {
      const starting = this.#workers.get(key)?.active ?? false;
      const decision = decideAsk(run, ask, self, starting, this.ports.clock.now());
      return { records: decision.records, result: decision };
    });
    this.#follow(ask, decided.records);
    const { journalId, incarnation } = self;
    const base = { journalId, incarnation, answer: decided.answer };
    return decided.started === undefined
      ? base
      : { ...base, generation: decided.started.generation, startedBy: decided.started.by };
  }

  /** What an answer sets in motion: a stop goes down the ladder, and what is known is reported (again). */
  #follow(ask: AskRequest, records: readonly JournalEvent[]): void {
    for (const record of records)
      if (record.type === 'EntryClosed') this.#carry(record.data).repeat();
    if (ask.question === 'close-older-epochs') return;
    if (entryOf(this.ports.journal.run(ask.runId), ask.generation) === undefined) return;
    const worker = this.#carry(ask);
    if (ask.question === 'stop') worker.askStop();
    // Also to a stop: how it ended may have been no news when it was said, or have been forgotten since.
    worker.repeat();
  }

  lease(): LeaseBody {
    // The open set is compared with the runs of this node; its agents are compared by their slots.
    const open = [...this.#workers.values()].filter(({ work, open }) => work === 'run' && open);
    const { journalId, incarnation } = this.options.self;
    return {
      journalId,
      incarnation,
      recovering: this.#recovering.size > 0,
      openCount: open.length,
      openHash: this.options.hash(openSetText(open)),
      running: this.#places.taken,
      maxRuns: this.options.maxRuns,
      waiting: this.#places.waiting,
      notReady: this.options.notReady(),
    };
  }

  /**
   * Takes no more frames; ends single-attempt work down the ladder and reports it; leaves running what outlives its
   * client, and every agent that was spawned. Settles when everything else is reported, or when `signal` aborts: what is
   * left then is in the journal.
   */
  async shutDown(signal: AbortSignal): Promise<void> {
    this.#shuttingDown = true;
    for (const worker of this.#workers.values()) worker.shutDown();
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      signal.addEventListener('abort', () => {
        resolve();
      });
      this.#settleIfIdle();
    });
    for (const worker of this.#workers.values()) worker.abandon();
  }

  #settleIfIdle(): void {
    const busy = [...this.#workers.values()].some((worker) => !worker.leftRunning);
    if (!busy) this.#idle?.();
  }

  #startsElsewhere(run: RunEntries): boolean {
    return run.entries.some((entry) => this.#workers.get(keyOf(entry))?.active ?? false);
  }

  #carry({ runId, generation }: EntryKey): EntryWorker {
    const key = keyOf({ runId, generation });
    const known = this.#workers.get(key);
    if (known !== undefined) return known;
    const entry = entryOf(this.ports.journal.run(runId), generation);
    if (entry === undefined) throw bug(`no journal entry ${key}`);
    const worker = new EntryWorker(entry, entry.work, this.#surroundings(entry));
    this.#workers.set(key, worker);
    return worker;
  }

  #surroundings({ work }: Entry): WorkerSurroundings {
    const { self, timers, receiptsLingerMs, onTrouble } = this.options;
    return {
      ports: this.ports,
      self,
      places: work === 'spawn' ? this.#placesOfAgents : this.#places,
      timers,
      receiptsLingerMs,
      onTrouble: (key, trouble) => {
        // What can't be taken up must not hide for ever what else is there.
        this.#recovering.delete(key);
        onTrouble(key, trouble);
      },
      onSettled: (key) => {
        this.#recovering.delete(key);
        this.#settleIfIdle();
      },
      onDone: (key) => {
        this.#workers.delete(key);
        this.#recovering.delete(key);
        this.#settleIfIdle();
      },
    };
  }
}
