/**
 * Every window of time that more than one part of the system relies on. All in milliseconds.
 *
 * The defaults are the protocol's. Tests run with shorter ones through `HOLDFAST_WINDOWS`, a JSON object with some of
 * these names; the proportions that safety needs are checked by {@link parseWindows}.
 */
export interface Windows {
  /** A node whose lease was not renewed for so long, by the broker's clock, counts as gone. */
  readonly leaseMs: number;
  /** How often a lease is renewed: three renewals fit into a lease, so that two may be lost. */
  readonly renewalMs: number;
  /** How long one question to a node waits for its answer. */
  readonly askTimeoutMs: number;
  /** How often a node is asked before its silence is recorded. A count, not a time. */
  readonly askAttempts: number;
  /** From `RunDispatched` to the moment when an unclaimed run is asked about, and from the claim to its first receipt. */
  readonly dispatchMs: number;
  /** How often a node is told again of a stop that it took, and asked again about an unknown outcome. */
  readonly repeatMs: number;
  /** How often the reconciler looks for due deadlines. */
  readonly sweepMs: number;
  /** A queued run of an online node that was not dispatched for so long fails as stranded. */
  readonly strandedMs: number;
  /** How long a spawn's reservation holds before its dispatch. */
  readonly spawnReservationMs: number;
  /** When a dispatched spawn that nobody answered for may be settled as unknown. */
  readonly spawnRetryAfterMs: number;
  /** A spawn that was never dispatched expires after so long. */
  readonly neverDispatchedMs: number;
  /** How long a delivered commit may go without a sign of life before it is delivered to another replica. */
  readonly ackWaitMs: number;
  /** How often a saga that still works on a commit says so. */
  readonly workingMs: number;
  /** Receipts that arrive so shortly before an end travel in the same commit. */
  readonly receiptsLingerMs: number;
}

/** Source: the protocol's table of windows; a death is shown as unknown after 6 + 1 + 3 + 1 = 11 s at the latest. */
export const DEFAULT_WINDOWS: Windows = Object.freeze({
  leaseMs: 6_000,
  renewalMs: 2_000,
  askTimeoutMs: 1_000,
  askAttempts: 3,
  dispatchMs: 10_000,
  repeatMs: 5_000,
  sweepMs: 1_000,
  strandedMs: 60_000,
  spawnReservationMs: 30_000,
  spawnRetryAfterMs: 30_000,
  neverDispatchedMs: 600_000,
  ackWaitMs: 5_000,
  workingMs: 2_000,
  receiptsLingerMs: 20,
});

/** The lowest and highest value of each window: below, a busy machine makes false alarms; above, nobody learns of a death. */
export const WINDOW_BOUNDS: { readonly [Name in keyof Windows]: readonly [number, number] } = {
  leaseMs: [300, 60_000],
  renewalMs: [50, 20_000],
  askTimeoutMs: [50, 30_000],
  askAttempts: [1, 10],
  dispatchMs: [100, 600_000],
  repeatMs: [50, 600_000],
  sweepMs: [20, 60_000],
  strandedMs: [200, 3_600_000],
  spawnReservationMs: [200, 600_000],
  spawnRetryAfterMs: [200, 600_000],
  neverDispatchedMs: [500, 86_400_000],
  ackWaitMs: [200, 60_000],
  workingMs: [50, 20_000],
  receiptsLingerMs: [0, 1_000],
};

/** The configured windows contradict a bound or each other. `problems` names all of them, not just the first. */
export class InvalidWindows extends Error {
  override readonly name = 'InvalidWindows';
  readonly code = 'configuration.invalid_windows';
  constructor(readonly problems: readonly string[]) {
    super(`HOLDFAST_WINDOWS: ${problems.join('; ')}`);
  }
}

/**
 * The windows in force.
 *
 * @param overrides JSON object with some of the windows, as in `{"leaseMs":600,"renewalMs":200}`; the defaults when left out.
 * @throws InvalidWindows with every problem found.
 */
export const parseWindows = (overrides?: string): Windows => {
  if (overrides === undefined || overrides.trim() === '') return DEFAULT_WINDOWS;
  const given = parseObject(overrides);
  const problems = Object.entries(given).flatMap(([name, value]) => problemsOf(name, value));
  const windows: Windows = Object.freeze({ ...DEFAULT_WINDOWS, ...given });
  if (problems.length === 0) problems.push(...contradictionsIn(windows));
  if (problems.length > 0) throw new InvalidWindows(problems);
  return windows;
};

const parseObject = (json: string): Record<string, unknown> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new InvalidWindows(['is not JSON']);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new InvalidWindows(['is not a JSON object']);
  return parsed as Record<string, unknown>;
};

const isWindow = (name: string): name is keyof Windows => Object.hasOwn(WINDOW_BOUNDS, name);

const problemsOf = (name: string, value: unknown): string[] => {
  if (!isWindow(name)) return [`${name} is not a window`];
  const [lowest, highest] = WINDOW_BOUNDS[name];
  if (typeof value !== 'number' || !Number.isInteger(value))
    return [`${name} is not a whole number`];
  if (value < lowest || value > highest)
    return [`${name} is ${value}, allowed are ${lowest} to ${highest}`];
  return [];
};

const contradictionsIn = (windows: Windows): string[] => {
  const problems: string[] = [];
  if (windows.renewalMs * 3 > windows.leaseMs)
    problems.push('three renewals (renewalMs) must fit into a lease (leaseMs)');
  if (windows.workingMs * 2 > windows.ackWaitMs)
    problems.push('two signs of life (workingMs) must fit into ackWaitMs');
  return problems;
};
