/** A clock that moves on by so much whenever somebody looks, and by each pause. */
export class SteppedPatience {
  private now = 0;
  private first: number | null = null;

  constructor(
    private readonly lookMs: number,
    private readonly meanwhile: () => Promise<void>,
  ) {}

  /** From the first look at the clock until now, ms. */
  get waitedMs(): number {
    return this.now - (this.first ?? this.now);
  }

  readonly nowMs = (): number => {
    this.now += this.lookMs;
    this.first ??= this.now;
    return this.now;
  };

  readonly pause = (ms: number): Promise<void> => {
    this.now += ms;
    return this.meanwhile();
  };
}
