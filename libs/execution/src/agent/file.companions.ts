import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leftNothing, readEvidence } from '#runtimes';
import type { Receipts } from '#runs/contract';
import type { Entry } from '../domain/index.js';
import { OutputTail, type OutputChunk } from '../process/index.js';
import type { Companions, Programs, Timers } from './ports.js';

/** Where output goes. Tries until it is stored or `signal` aborts. */
export interface OutputSink {
  publish(entry: Entry, chunk: OutputChunk, signal: AbortSignal): Promise<void>;
}

/** How often a program's files are looked at, ms: output is shown within about that time. */
const LOOK_EVERY_MS = 100;
/** How long output that a program left is still passed on after its end, ms; what is missing then is shown as missing. */
const FLUSH_MAX_MS = 30_000;
/** Offset of the first byte that was not passed on yet; only a hint, a repeat is recognised by its offset. */
const PUBLISHED_FILE = 'published';
const OFFSET_MAX_BYTES = 32;

/** Reads output and receipts from work directories while programs write them. */
export class FileCompanions implements Companions {
  constructor(
    private readonly programs: Pick<Programs, 'receipts'>,
    private readonly sink: OutputSink,
    private readonly timers: Timers,
    private readonly onTrouble: (trouble: unknown) => void,
  ) {}

  accompany(entry: Entry, onReceipts: (receipts: Receipts) => void): { finish(): void } {
    if (entry.workDirectory === null) return { finish: () => undefined };
    const walk = new Walk(entry, entry.workDirectory, this.sink, this.timers);
    let told = '{}';
    const tell = async (): Promise<void> => {
      const receipts = await this.programs.receipts(entry);
      const text = JSON.stringify(receipts);
      if (text === told) return;
      told = text;
      onReceipts(receipts);
    };
    void walk.run(tell).catch(this.onTrouble);
    return {
      finish: () => {
        walk.finish();
      },
    };
  }
}

/** The files of one program, from `go` to a while after its end. */
class Walk {
  readonly #abort = new AbortController();
  #finished = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly entry: Entry,
    private readonly folder: string,
    private readonly sink: OutputSink,
    private readonly timers: Timers,
  ) {}

  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.timers.after(FLUSH_MAX_MS, () => {
      this.#abort.abort();
    });
    this.#wake?.();
  }

  async run(tellReceipts: () => Promise<void>): Promise<void> {
    const tail = new OutputTail(this.folder, await this.#published());
    for (;;) {
      const last = this.#finished;
      if (!last) await tellReceipts();
      await this.#passOn(tail, last);
      if (last || this.#abort.signal.aborted) return;
      await this.#pause();
    }
  }

  async #passOn(tail: OutputTail, last: boolean): Promise<void> {
    for (let chunk = await tail.next(last); chunk !== undefined; chunk = await tail.next(last)) {
      await this.sink.publish(this.entry, chunk, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      await this.#note(tail.offset);
    }
  }

  /** Where the program removed the folder, the hint is lost and nothing else. */
  async #note(offset: number): Promise<void> {
    const path = join(this.folder, PUBLISHED_FILE);
    await writeFile(path, String(offset), { mode: 0o600 }).catch((error: unknown) => {
      if (!leftNothing(error)) throw error;
    });
  }

  async #published(): Promise<number> {
    const bytes = await readEvidence(join(this.folder, PUBLISHED_FILE), OFFSET_MAX_BYTES);
    const offset = Number(bytes?.toString('latin1') ?? '0');
    return Number.isSafeInteger(offset) && offset >= 0 ? offset : 0;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.timers.after(LOOK_EVERY_MS, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
      if (this.#finished) this.#wake();
    });
  }
}
