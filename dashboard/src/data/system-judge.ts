import type {
  Found,
  HolderView,
  RequestTimesView,
  SagaView,
  StreamView,
  SystemView,
  SystemWindowsView,
} from '../../../libs/contracts/src/system.view.js';
import type { NodeView, ProjectionView, RunView } from '../../../libs/contracts/src/views.js';
import { duration, shortId } from './words.js';

/** `slow`: it goes on, later than it should. `stuck`: it does not go on. `unseen`: it could not be looked at. */
export type Level = 'fine' | 'slow' | 'stuck' | 'unseen';

/** How one thing stands, and in words why, where that is not fine. */
export interface Verdict {
  readonly level: Level;
  readonly words: string;
}

/** From where on something is late. Milliseconds; each with the source of its number, as the page says it. */
export const LIMITS = {
  lagSlow: 1_000,
  lagStuck: 10_000,
  heardSlow: 4_000,
  heardStuck: 7_000,
  sagaStuck: 5_000,
  roundTrip: 100,
  request: 1_000,
  stopping: 15_000,
} as const;

/** The same for whoever reads the page. */
export const SOURCES = {
  projections:
    'Slow from 1 s behind: ten times the 100 ms within which rows are promised to be current. Stuck from 10 s, where /readyz says no.',
  holders:
    'Whoever is active speaks to the database every 2 s. Slow after two turns without a word; after three, the database gives its work to the next one. Stuck when nobody has it, or it is not given on.',
  sagas:
    'Slow when the oldest is older than one sweep of the reconciler, stuck when it is older than the time after which the broker gives it to another process.',
  nodes: 'Slow after two renewals that did not come, stuck when the lease has run out.',
  stores:
    'Slow from 100 ms for one question and its answer: no row could be current within its 100 ms.',
  requests:
    'Slow from 1 s at p99: from there on a person waits. The newest of the last five minutes, of this gateway alone.',
  runs: 'Slow when a node was told and has not started within its window, or when a stop is not proven within 15 s. How long work takes is its own matter.',
} as const;

const fine: Verdict = { level: 'fine', words: '' };
const slow = (words: string): Verdict => ({ level: 'slow', words });
const stuck = (words: string): Verdict => ({ level: 'stuck', words });

export const ofProjection = ({ name, lag, lagMs, finding }: ProjectionView): Verdict => {
  if (finding !== null) return stuck(`Read model ${name} has stopped: ${finding}.`);
  const words = `Read model ${name} is ${duration(lagMs)} behind (${events(lag)}).`;
  if (lagMs >= LIMITS.lagStuck) return stuck(words);
  return lagMs >= LIMITS.lagSlow ? slow(words) : fine;
};

export const ofHolder = ({ role, of, holder, heardMsAgo }: HolderView): Verdict => {
  const what = role === 'projector' ? `read model ${of}` : 'deadlines and sweeps';
  if (holder === null) return stuck(`No ${role} is active for ${what}.`);
  const ms = heardMsAgo ?? 0;
  if (ms < LIMITS.heardSlow) return fine;
  const words = `The ${role} of ${what} has said nothing for ${duration(ms)}.`;
  // A server that does not end silent connections lets nobody else take over.
  return ms >= LIMITS.heardStuck ? stuck(words) : slow(words);
};

export const ofSaga = (
  { name, waiting, inWork, again, oldestMs, takers }: SagaView,
  windows: SystemWindowsView | null,
): Verdict => {
  const open = waiting + inWork;
  if (open === 0) return fine;
  const failing = again > 0 ? `; ${events(again)} tried more than once` : '';
  if (takers === 0 && inWork === 0)
    return stuck(`Nobody takes what saga ${name} has to do: ${events(open)} wait.`);
  const words = `Saga ${name} has not handled ${events(open)}, the oldest for ${duration(oldestMs)}${failing}.`;
  if (oldestMs >= (windows?.ackWaitMs ?? LIMITS.sagaStuck)) return stuck(words);
  return oldestMs >= (windows?.sweepMs ?? LIMITS.lagSlow) ? slow(words) : fine;
};

/** @param now what time it is at the server, ms since 1970. */
export const ofNode = (
  { id, membership, liveness, lastHeardAt, recovering }: NodeView,
  windows: SystemWindowsView | null,
  now: number,
): Verdict => {
  if (membership === 'left') return fine;
  const heard = lastHeardAt === null ? null : Math.max(0, now - Date.parse(lastHeardAt));
  const ago = heard === null ? 'it was never heard of' : `last heard of ${duration(heard)} ago`;
  if (liveness === 'silent') return stuck(`Node ${id} is silent: ${ago}.`);
  if (liveness === 'unclear')
    return { level: 'unseen', words: `The lease of node ${id} could not be judged.` };
  if (recovering) return slow(`Node ${id} reads its journal, and takes no work yet.`);
  const late = windows !== null && heard !== null && heard > 2 * windows.renewalMs;
  return late ? slow(`Node ${id} renews its lease late: ${ago}.`) : fine;
};

export const ofRoundTrip = (what: string, ms: number): Verdict =>
  ms >= LIMITS.roundTrip ? slow(`${what} takes ${duration(ms)} to answer.`) : fine;

export const ofStream = ({ name, copies, copiesBehind }: StreamView): Verdict =>
  copiesBehind === 0
    ? fine
    : slow(
        `Of the ${String(copies)} copies of stream ${name}, ${String(copiesBehind)} lack something or are away.`,
      );

export const ofRequests = ({ route, p99Ms }: RequestTimesView): Verdict =>
  p99Ms >= LIMITS.request ? slow(`${route} takes ${duration(p99Ms)} at p99.`) : fine;

/** Since when it is what it is. */
export const standsSince = (run: RunView): string => {
  switch (run.status) {
    case 'dispatched':
      return run.dispatchedAt ?? run.submittedAt;
    case 'running':
      return run.startedAt ?? run.submittedAt;
    case 'stopping':
      return run.stop?.requestedAt ?? run.submittedAt;
    case 'unknown':
      return run.unknown?.since ?? run.submittedAt;
    case 'queued':
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'abandoned':
      return run.submittedAt;
  }
};

export const ofRun = (run: RunView, windows: SystemWindowsView | null, now: number): Verdict => {
  const ms = now - Date.parse(standsSince(run));
  const max = run.status === 'dispatched' ? windows?.dispatchMs : LIMITS.stopping;
  const isTimed = run.status === 'dispatched' || run.status === 'stopping';
  if (!isTimed || max === undefined || ms < max) return fine;
  return slow(
    `Run ${shortId(run.runId)} is ${run.status} for ${duration(ms)}: it waits for ${run.waitsFor ?? 'its node'}.`,
  );
};

/** All that is not fine, the worst first. Pure. @param now what time it is at the server, ms since 1970. */
export const verdictsOn = (system: SystemView, now: number): readonly Verdict[] => {
  const windows = system.windows.value;
  const broker = system.broker.value;
  const all = [
    ...of('read models', system.projections, ofProjection),
    ...of('who is active', system.holders, ofHolder),
    ...of('sagas', system.sagas, (saga) => ofSaga(saga, windows)),
    ...of('nodes', system.nodes, (node) => ofNode(node, windows, now)),
    ...of('the oldest runs', system.oldestRuns, (run) => ofRun(run, windows, now)),
    ...of('the broker', listOf(system.broker), ({ roundTripMs }) =>
      ofRoundTrip('The broker', roundTripMs),
    ),
    ...(broker?.streams ?? []).map(ofStream),
    ...of('Postgres', listOf(system.database), ({ roundTripMs }) =>
      ofRoundTrip('Postgres', roundTripMs),
    ),
    ...system.requests.map(ofRequests),
    ...ofChecks(system),
  ];
  return all
    .filter(({ level }) => level !== 'fine')
    .sort((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
};

const ORDER: readonly Level[] = ['stuck', 'slow', 'unseen', 'fine'];

/** What a gateway can't do without. What the parts above say in more detail is not said again. */
const ofChecks = ({ readiness, projections }: SystemView): readonly Verdict[] =>
  Object.entries(readiness.checks)
    .filter(([name, { ok }]) => !ok && !(name === 'projections' && projections.value !== null))
    .map(([name, { detail }]) => stuck(`The gateway misses ${name}: ${detail}.`));

const of = <Item>(
  part: string,
  found: Found<readonly Item[]>,
  judge: (item: Item) => Verdict,
): readonly Verdict[] =>
  found.value === null
    ? [{ level: 'unseen', words: `Could not look at ${part}: ${found.why ?? 'nobody said why'}.` }]
    : found.value.map(judge);

const listOf = <Item>({ value, why }: Found<Item>): Found<readonly Item[]> => ({
  value: value === null ? null : [value],
  why,
});

const events = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;
