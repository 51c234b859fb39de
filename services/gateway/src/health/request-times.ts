import type { RequestTimesView } from '#contracts';

interface Sample {
  readonly atMs: number;
  readonly ms: number;
}

/** Older samples say nothing of now. Milliseconds. */
const AGE_MAX_MS = 300_000;
/** The newest of a route that are kept: enough for a hundredth of them to be more than one. */
const SAMPLES_MAX = 256;
/** Far more than there are routes. */
const ROUTES_MAX = 64;

/** How long the newest requests took, route by route. Of this process alone, and since it started. */
export class RequestTimes {
  private readonly routes = new Map<string, Sample[]>();

  /** @param nowMs a clock that never goes back. */
  constructor(private readonly nowMs: () => number) {}

  note(route: string, ms: number): void {
    const samples = this.routes.get(route) ?? [];
    if (samples.length === 0) {
      if (this.routes.size >= ROUTES_MAX) return;
      this.routes.set(route, samples);
    }
    samples.push({ atMs: this.nowMs(), ms });
    if (samples.length > SAMPLES_MAX) samples.shift();
  }

  /** Routes that were asked for lately, the slowest first. */
  look(): readonly RequestTimesView[] {
    const since = this.nowMs() - AGE_MAX_MS;
    return [...this.routes]
      .flatMap(([route, samples]) => {
        const sorted = samples
          .filter(({ atMs }) => atMs >= since)
          .map(({ ms }) => ms)
          .sort((one, other) => one - other);
        if (sorted.length === 0) return [];
        const [p50Ms, p99Ms] = [atRank(sorted, 0.5), atRank(sorted, 0.99)];
        return [{ route, count: sorted.length, p50Ms, p99Ms }];
      })
      .sort((one, other) => other.p99Ms - one.p99Ms);
  }
}

/** The smallest value that so many of all are not above. */
const atRank = (sorted: readonly number[], share: number): number => {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return Math.round(value * 10) / 10;
};
