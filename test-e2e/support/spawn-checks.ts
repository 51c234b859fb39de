import type { Commit } from '#event-store';
import { NODE, slotsUsed, type NodeEvent, type NodeState } from '#nodes/domain';
import type { FrameAddress } from '#nats';
import { fold } from '#kernel';
import {
  evolveSpawn,
  initialSpawn,
  isTerminal,
  isUnknown,
  type ExistingSpawn,
  type SpawnEvent,
  type SpawnState,
} from '#spawns/domain';
import { endedAgentsOf, nodesOf, spawnsOf } from './spawn-streams.js';
import { brokenChains } from './stream.js';

/** What outsiders know: the stream, the frames, and what the agents wrote down themselves. */
export interface SpawnFacts {
  readonly commits: readonly Commit[];
  readonly frames: readonly FrameAddress[];
  /** By node, of each agent that came to life there, its spawn. */
  readonly started: Readonly<Record<string, readonly string[]>>;
}

/** Spawns that nobody has answered for yet, and those whose agent lives. */
export const openSpawns = (commits: readonly Commit[]): readonly string[] => {
  const ended = endedAgentsOf(commits);
  return [...spawnsOf(commits).values()]
    .filter((spawn) => !isTerminal(spawn) || (hasAgent(spawn) && !ended.has(spawn.spawnId)))
    .map(({ spawnId, status }) => `${spawnId} is ${status}, and not over`);
};

const hasAgent = ({ status, lateAgent }: ExistingSpawn): boolean =>
  status === 'completed' || lateAgent === 'lives';

/** In words, what does not hold of spawns that are all settled, and of the places of their nodes. */
export const spawnViolationsIn = (facts: SpawnFacts): readonly string[] => [
  ...sentTwice(facts),
  ...startedTwice(facts),
  ...startedThoughCertain(facts),
  ...strayed(facts),
  ...crowdedPlaces(facts.commits),
  ...changedAnswers(facts.commits),
  ...unbalancedPlaces(facts.commits),
  ...brokenChains(facts.commits),
];

/** More than one order for one spawn. */
const sentTwice = ({ commits, frames }: SpawnFacts): readonly string[] =>
  [...spawnsOf(commits).keys()].flatMap((spawnId) => {
    const sent = frames.filter(({ work }) => work === spawnId).length;
    return sent > 1 ? [`${spawnId} was sent ${String(sent)} times`] : [];
  });

const startedTwice = ({ commits, started }: SpawnFacts): readonly string[] =>
  [...spawnsOf(commits).keys()].flatMap((spawnId) => {
    const count = Object.values(started)
      .flat()
      .filter((of) => of === spawnId).length;
    return count > 1 ? [`${spawnId} has ${String(count)} agents`] : [];
  });

/** Codes that say with certainty that no agent was started. */
const CERTAIN: readonly string[] = [
  'never_received',
  'agent_not_started',
  'never_dispatched_expired',
];

const startedThoughCertain = ({ commits, started }: SpawnFacts): readonly string[] => {
  const all = new Set(Object.values(started).flat());
  return [...spawnsOf(commits).values()].flatMap(({ spawnId, failure }) =>
    failure !== null && CERTAIN.includes(failure.code) && all.has(spawnId)
      ? [`${spawnId} is ${failure.code}, and has an agent`]
      : [],
  );
};

/** Whatever of a strict spawn was on another node than the one that it names. */
const strayed = ({ commits, frames, started }: SpawnFacts): readonly string[] =>
  [...spawnsOf(commits).values()].flatMap(({ spawnId, request }) => {
    if (request.kind !== 'strict') return [];
    const places = [
      ...frames.filter(({ work }) => work === spawnId).map(({ node }) => node),
      ...Object.entries(started).flatMap(([node, of]) => (of.includes(spawnId) ? [node] : [])),
      ...commits.flatMap(({ ref, events }) =>
        ref.aggregate === 'node' && events.some(({ data }) => names(data, spawnId)) ? [ref.id] : [],
      ),
    ];
    return places
      .filter((node) => node !== request.nodeId)
      .map((node) => `${spawnId} is of ${request.nodeId ?? ''}, and was on ${node}`);
  });

const names = (data: unknown, spawnId: string): boolean =>
  (data as { readonly spawnId?: string }).spawnId === spawnId;

/** Moments at which a spawn was given a second place, or a node had given more than it has. */
const crowdedPlaces = (commits: readonly Commit[]): readonly string[] => {
  const nodes = new Map<string, NodeState>();
  const crowded: string[] = [];
  for (const { ref, events, revision } of commits) {
    if (ref.aggregate !== 'node') continue;
    for (const event of events as readonly NodeEvent[]) {
      const before = nodes.get(ref.id) ?? NODE.initialState(ref.id);
      if (event.type === 'SlotReserved' && event.data.spawnId in before.slots.held)
        crowded.push(`${event.data.spawnId} got a second place on ${ref.id}@${String(revision)}`);
      const after = NODE.evolve(before, event);
      nodes.set(ref.id, after);
      if (slotsUsed(after.slots) > (after.description?.capacity ?? 0))
        crowded.push(`${ref.id}@${String(revision)} gave more places than it has`);
    }
  }
  return crowded;
};

/** The first answer stands: a spawn that is over stays as it is. */
const changedAnswers = (commits: readonly Commit[]): readonly string[] => {
  const spawns = new Map<string, SpawnState>();
  const changed: string[] = [];
  for (const { ref, events } of commits) {
    if (ref.aggregate !== 'spawn') continue;
    const before = spawns.get(ref.id) ?? initialSpawn(ref.id);
    const after = fold(evolveSpawn, before, events as readonly SpawnEvent[]);
    spawns.set(ref.id, after);
    if (before.status === 'none' || after.status === 'none' || !isTerminal(before)) continue;
    if (after.status !== before.status || after.failure?.code !== before.failure?.code)
      changed.push(`${ref.id} was ${before.status}, and then ${after.status}`);
  }
  return changed;
};

/** The conservation law: each place that is held belongs to one spawn that must have it, and the other way round. */
export const unbalancedPlaces = (commits: readonly Commit[]): readonly string[] => {
  const held = new Set<string>();
  for (const [node, { slots }] of nodesOf(commits))
    for (const spawnId of Object.keys(slots.held)) held.add(`${node}/${spawnId}`);
  const owed = owedPlaces(commits);
  return [
    ...[...held].filter((place) => !owed.has(place)).map((place) => `${place} is held by nobody`),
    ...[...owed].filter((place) => !held.has(place)).map((place) => `${place} is not held`),
  ];
};

/** An agent lives, may live, or is about to be started: it has a place. */
const owedPlaces = (commits: readonly Commit[]): ReadonlySet<string> => {
  const ended = endedAgentsOf(commits);
  const owed = [...spawnsOf(commits).values()].filter((spawn) => mustHold(spawn, ended));
  return new Set(owed.map(({ spawnId, placement }) => `${placement?.nodeId ?? ''}/${spawnId}`));
};

const mustHold = (spawn: ExistingSpawn, ended: ReadonlySet<string>): boolean => {
  if (ended.has(spawn.spawnId)) return false;
  if (isUnknown(spawn)) return spawn.lateAgent !== 'gone' && spawn.resolution !== 'free';
  return ['dispatched', 'claimed', 'completed'].includes(spawn.status);
};
