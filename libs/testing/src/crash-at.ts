/** Where a process dies: before or after the effect of its n-th call through the port, counted from 1. */
export interface CrashPoint {
  readonly call: number;
  readonly side: 'before' | 'after';
}

/**
 * A process that dies at a port call. Everything that it asks for afterwards is never answered, as with a real SIGKILL:
 * its promises stay open for ever, and nothing it would have done next has any effect.
 */
export class MortalProcess {
  #calls = 0;
  #dead = false;
  readonly #death: Promise<void>;
  #die: () => void = () => undefined;

  /** @param point null: it never dies by itself (see {@link kill}). */
  constructor(private readonly point: CrashPoint | null) {
    this.#death = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Settles when it dies. */
  get death(): Promise<void> {
    return this.#death;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Calls through its ports so far: the crash points that a run without a crash offers. */
  get calls(): number {
    return this.#calls;
  }

  kill(): void {
    this.#dead = true;
    this.#die();
  }

  /**
   * The port as this process sees it.
   *
   * @param effects the methods that answer promises: each call of one is two crash points, before and after its effect.
   */
  through<Port extends object>(port: Port, effects: readonly (keyof Port)[]): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        const act = (...args: unknown[]): unknown => member.apply(target, args) as unknown;
        return effects.includes(name as keyof Port)
          ? (...args: unknown[]) => this.#effect(() => act(...args) as Promise<unknown>)
          : act;
      },
    });
  }

  async #effect(act: () => Promise<unknown>): Promise<unknown> {
    if (this.#dead) return NEVER;
    this.#calls += 1;
    const diesHere = this.point?.call === this.#calls;
    if (diesHere && this.point?.side === 'before') {
      this.kill();
      return NEVER;
    }
    const result = await act();
    if (diesHere) this.kill();
    return this.dead ? NEVER : result;
  }
}

const NEVER = new Promise<never>(() => undefined);
