import { retryDelayMs, type Timers } from './ports.js';

/** `on`: ask for the next step at once. `later`: no answer came, try again after a while. `idle`: until woken. */
export type Pace = 'on' | 'later' | 'idle';

/** Runs steps one after the other, never two at a time; a wake-up that comes meanwhile is not lost. */
export class Pump {
  #timer: { cancel(): void } | null = null;
  #running = false;
  #wokenMeanwhile = false;
  #tries = 0;

  /** @param step performs one step. What it throws is told, and the step is tried again later. */
  constructor(
    private readonly step: () => Promise<Pace>,
    private readonly timers: Timers,
    private readonly onTrouble: (trouble: unknown) => void,
  ) {}

  wake(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#running) {
      this.#wokenMeanwhile = true;
      return;
    }
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
      if (!this.#wokenMeanwhile) return;
      this.#wokenMeanwhile = false;
      this.wake();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  async #run(): Promise<void> {
    try {
      let pace: Pace = 'on';
      while (pace === 'on') {
        pace = await this.step();
        if (pace === 'on') this.#tries = 0;
      }
      if (pace === 'later') this.#later();
    } catch (trouble) {
      this.onTrouble(trouble);
      this.#later();
    }
  }

  #later(): void {
    this.#timer = this.timers.after(retryDelayMs(this.#tries), () => {
      this.wake();
    });
    this.#tries += 1;
  }
}
