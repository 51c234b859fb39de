import { bug } from '#kernel';
import type { Receipts } from '#runs/contract';
import { leftovers, type Entry, type Sighting } from '../domain/index.js';
import type { AgentPorts, EndOfWork, Timers, WaitingProgram, WatchedProgram } from './ports.js';

/** Between two tries to watch, where the first failed, ms. */
const WATCH_AGAIN_MS = 2_000;

/** What the program of an entry tells the one who carries the entry. */
export interface ProgramNews {
  /** Its end was seen, or its time is up. */
  changed(): void;
  /** Its end could not be looked for; that is tried again. */
  trouble(trouble: unknown): void;
  /** Receipts that were not passed on before. */
  receipts(receipts: Receipts): void;
}

/** The program of one entry, as this incarnation holds it. Gone with the process; the program may go on. */
export class EntryProgram {
  #program: WatchedProgram | WaitingProgram | null = null;
  #companion: { finish(): void } | null = null;
  #deadline: { cancel(): void } | null = null;
  #sighting: Sighting = 'alive';
  #timeUp = false;

  constructor(
    private readonly ports: Pick<AgentPorts, 'programs' | 'companions' | 'clock'>,
    private readonly timers: Timers,
    private readonly news: ProgramNews,
  ) {}

  get sighting(): Sighting {
    return this.#sighting;
  }

  get timeUp(): boolean {
    return this.#timeUp;
  }

  /** One look at what an earlier incarnation left. */
  async look(entry: Entry): Promise<void> {
    this.#sighting = await this.ports.programs.look(entry);
  }

  /** Brings it behind its shim. @throws NotStartable */
  async prepare(entry: Entry): Promise<WaitingProgram> {
    if (entry.frame === null) throw bug('an entry without a frame was claimed');
    const program = await this.ports.programs.prepare(entry.frame);
    this.#program = program;
    return program;
  }

  /** The decision is durable: the program may act from here on. */
  start(entry: Entry): void {
    const program = this.#program;
    if (program === null || !('giveGo' in program))
      throw bug('there is no program to give `go` to');
    program.giveGo();
    this.#watch(entry, program);
  }

  adopt(entry: Entry): void {
    this.#watch(entry, this.ports.programs.watch(entry));
  }

  #watch(entry: Entry, program: WatchedProgram): void {
    this.#follow(entry, program);
    const limit = entry.frame === null ? null : this.ports.programs.traits(entry.frame).timeLimitMs;
    if (limit !== null) {
      const left = Math.max(
        0,
        (entry.goAt ?? this.ports.clock.now()) + limit - this.ports.clock.now(),
      );
      this.#deadline = this.timers.after(left, () => {
        this.#timeUp = true;
        this.news.changed();
      });
    }
    this.#companion = this.ports.companions.accompany(entry, (receipts) => {
      this.news.receipts(receipts);
    });
  }

  #follow(entry: Entry, program: WatchedProgram): void {
    this.#program = program;
    const ended = (seen: Sighting): void => {
      this.#sighting = seen;
      this.news.changed();
    };
    const troubled = (trouble: unknown): void => {
      this.news.trouble(trouble);
      this.timers.after(WATCH_AGAIN_MS, () => {
        if (this.#program === program) this.#follow(entry, this.ports.programs.watch(entry));
      });
    };
    void program.ended.then(ended, troubled);
  }

  /** Down the ladder; what was seen of its end stands before what the ladder did. */
  async stop(entry: Entry, by: 'stop' | 'time-limit' | 'shutdown'): Promise<EndOfWork> {
    const { programs } = this.ports;
    const { remains, endedByItself } = await programs.stop(entry);
    const seen = await programs.look(entry);
    const concluded = await this.conclude(entry, seen === 'exited' ? 'exited' : 'gone');
    return endedByItself && seen === 'exited'
      ? concluded
      : { ...concluded, end: { how: 'killed', by, remains } };
  }

  conclude(entry: Entry, seen: Exclude<Sighting, 'alive'>): Promise<EndOfWork> {
    // It ended while no agent watched: its output lies there, and was not passed on to the end.
    this.#companion ??= this.ports.companions.accompany(entry, () => undefined);
    return this.ports.programs.conclude(entry, seen);
  }

  /**
   * How it ended, when what it had left alive has ended since: that is news, and frees the run's session. Null when it had
   * left nothing, or something of it still lives.
   */
  async withoutRemains(entry: Entry): Promise<EndOfWork | null> {
    if (entry.end === null || !leftovers(entry)) return null;
    if ((await this.ports.programs.remains(entry)).length > 0) return null;
    return { ...entry.end, end: cleared(entry.end.end) };
  }

  /** It will never be started: the shim leaves without `go`. */
  withdraw(): void {
    if (this.#program !== null && 'abandon' in this.#program) this.#program.abandon();
    this.letGo();
  }

  letGo(): void {
    this.#program?.close();
    this.#deadline?.cancel();
    this.#companion?.finish();
    this.#program = null;
    this.#deadline = null;
    this.#companion = null;
  }
}

const cleared = (end: EndOfWork['end']): EndOfWork['end'] =>
  'remains' in end ? { ...end, remains: [] } : end;
