/** What is timed, and what that means exactly. All in ms. */
export const MEASURES = {
  'unknown.recorded':
    'node-agent silenced and programs killed, both at once → `RunOutcomeUnknown` recorded',
  'unknown.shown': 'the same → the read side shows `unknown`',
  'unknown.told': 'node-agent and programs killed → the next incarnation has said so',
  adoption:
    'node-agent killed, programs live on → its next incarnation is on line and has recovered all',
  'adoption.outcome': 'node-agent killed, the programs end meanwhile → their outcomes recorded',
  'resumption.claimed':
    'node-agent and client of a resumable turn killed → the second attempt is claimed',
  'resumption.sent': 'the same → the recovery prompt is in the runtime',
  'stop.across': 'node-agent killed, stop accepted at once → `RunStopped` recorded',
  'sigterm.gateway': 'SIGTERM → exit of the gateway',
  'sigterm.commands': 'SIGTERM → exit of commands',
  'sigterm.sagas': 'SIGTERM → exit of the sagas',
  'sigterm.projector': 'SIGTERM → exit of the projector',
  'sigterm.queries': 'SIGTERM → exit of queries',
  'sigterm.reconciler': 'SIGTERM → exit of the reconciler',
  'sigterm.node-agent': 'SIGTERM → exit of the node-agent',
  'sigterm.node-agent.stubborn':
    'SIGTERM → exit of the node-agent, a program ignores its own SIGTERM',
  'outage.broker': 'nats-server killed → the next submission is accepted',
  'outage.database':
    'postgres killed → a run that was submitted after it is shown by the read side',
  'outage.everything': 'every process killed at once → a run submitted after it has completed',
  'error.404': 'GET of a run that is not there, over HTTP',
  'error.409': 'POST with a key that was used for another body, over HTTP',
} as const;
export type FixedMeasure = keyof typeof MEASURES;

/** Of each process that was killed in a round: until its successor was started, and until it was ready. */
export type Measure =
  FixedMeasure | `replacement.started.${string}` | `replacement.ready.${string}`;

/** Runs in flight while it is timed: at each death one of the two, at each SIGTERM the last two together. */
export const IN_FLIGHT = {
  single: 5,
  resumable: 3,
  resumableAtSigterm: 2,
  singleAtSigterm: 1,
} as const;

/** Samples by name, as they come in. */
export class Measures {
  readonly #samples = new Map<string, number[]>();

  add(name: Measure, ms: number): void {
    const samples = this.#samples.get(name) ?? [];
    samples.push(Math.round(ms));
    this.#samples.set(name, samples);
  }

  all(): Readonly<Record<string, readonly number[]>> {
    return Object.fromEntries([...this.#samples].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

export interface Summary {
  readonly n: number;
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
}

/** @returns undefined of nothing: what was not measured has no median. */
export const summaryOf = (samples: readonly number[]): Summary | undefined => {
  const sorted = [...samples].sort((one, other) => one - other);
  const [lowest] = sorted;
  if (lowest === undefined) return undefined;
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? lowest;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? lowest) + upper) / 2;
  const p99 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? lowest;
  return { n: sorted.length, median, p99, worst: sorted.at(-1) ?? lowest };
};
