import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { TurnLine, TurnStatus } from '../protocol.js';
import type { ScriptStep } from './script.js';

type Finished = Exclude<TurnStatus, 'running'>;
type Listener = (line: TurnLine) => void;

/** A turn at work in this process. */
export class LiveTurn {
  readonly #interrupted = new AbortController();
  readonly #listeners = new Set<Listener>();
  #script: ScriptStep[];
  #answer = '';

  constructor(
    readonly thread: string,
    readonly turn: string,
    script: readonly ScriptStep[],
  ) {
    this.#script = [...script];
  }

  get answer(): string {
    return this.#answer;
  }

  /** Does what the script says, until its end or an interruption. */
  async run(): Promise<{ readonly status: Finished; readonly answer: string }> {
    for (let step = this.#script.shift(); step; step = this.#script.shift()) {
      if (step.kind === 'fail') return this.#end('failed');
      if (step.kind === 'say') this.#say(step.text);
      else if (step.kind === 'until') await this.#workUntil(step.path);
      else await this.#work(step.kind === 'work' ? step.ms : FOREVER_MS);
      if (this.#interrupted.signal.aborted) return this.#end('interrupted');
    }
    return this.#end('completed');
  }

  interrupt(): void {
    this.#interrupted.abort();
  }

  /** Another prompt comes in between: it is worked on after what was asked before. */
  steer(script: readonly ScriptStep[]): void {
    this.#script.push(...script);
  }

  /** @returns stops listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(line: TurnLine): void {
    for (const listener of this.#listeners) listener(line);
  }

  #say(text: string): void {
    const line = `${text}\n`;
    this.#answer += line;
    this.tell({ type: 'delta', text: line });
  }

  async #workUntil(path: string): Promise<void> {
    while (!existsSync(path) && !this.#interrupted.signal.aborted) await this.#work(LOOK_EVERY_MS);
  }

  async #work(ms: number): Promise<void> {
    try {
      await pause(ms, undefined, { signal: this.#interrupted.signal });
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error;
    }
  }

  #end(status: Finished): { readonly status: Finished; readonly answer: string } {
    return { status, answer: this.#answer };
  }
}

/** Longer than a timer can wait is not possible; nobody waits for 24 days. */
const FOREVER_MS = 2_147_483_647;
/** How often a file that is waited for is looked for. Unit: milliseconds. */
const LOOK_EVERY_MS = 20;
