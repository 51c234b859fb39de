/** One thing that a process needs in order to serve. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** For people: what is missing, or what is in force. Nothing secret. */
  readonly detail?: unknown;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
}

/** No check may hold a probe up for longer, ms. Source: probes give up after 1 to 5 s. */
const CHECK_TIMEOUT_MS = 900;

/** Gathers what a process needs in order to serve. Ready is whoever has all of it, and is not leaving. */
export class ReadinessBoard {
  private readonly checks = new Map<string, () => ReadinessCheck | Promise<ReadinessCheck>>();
  private isLeaving = false;

  /** Adds a check, or puts another one in its place. */
  set(name: string, check: () => ReadinessCheck | Promise<ReadinessCheck>): void {
    this.checks.set(name, check);
  }

  /** From now on not ready: the process finishes what it has and ends. */
  leave(): void {
    this.isLeaving = true;
  }

  async look(): Promise<Readiness> {
    const looked = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await inTime(check)] as const),
    );
    const checks: Record<string, ReadinessCheck> = Object.fromEntries(looked);
    if (this.isLeaving) checks['lifecycle'] = { ok: false, detail: 'shutting down' };
    return { ready: Object.values(checks).every(({ ok }) => ok), checks };
  }
}

const inTime = async (
  check: () => ReadinessCheck | Promise<ReadinessCheck>,
): Promise<ReadinessCheck> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ReadinessCheck>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: 'no answer in time' }), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([Promise.resolve().then(check), late]);
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'failed' };
  } finally {
    clearTimeout(timer);
  }
};
