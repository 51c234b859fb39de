import type { Commit } from '#event-store';
import { NODE, slotsUsed, type NodeEvent, type NodeState } from '#nodes/domain';

type SlotReserved = Extract<NodeEvent, { type: 'SlotReserved' }>;

/**
 * In words, what was wrong with places at any moment of a history: the streams of all nodes are folded from their beginning,
 * and looked at after each event, so that what was given back later is seen as well.
 *
 * @param named the one node that the spawns of the history are for.
 */
export const placeViolationsIn = (commits: readonly Commit[], named: string): readonly string[] => {
  const places = new PlacesSoFar(named);
  for (const { ref, events } of commits)
    if (ref.aggregate === 'node')
      for (const event of events as readonly NodeEvent[]) places.take(ref.id, event);
  return [...places.violations, ...places.recounted()];
};

class PlacesSoFar {
  readonly violations: string[] = [];
  private readonly nodes = new Map<string, NodeState>();
  /** How often each round of each spawn was reserved. */
  private readonly reservations = new Map<string, Map<number, number>>();

  constructor(private readonly named: string) {}

  take(nodeId: string, event: NodeEvent): void {
    const { data } = event;
    if ('spawnId' in data && nodeId !== this.named)
      this.violations.push(`${data.spawnId}: ${event.type} on ${nodeId}`);
    if (event.type === 'SlotReserved') this.takeReservation(nodeId, event);
    const node = NODE.evolve(this.nodes.get(nodeId) ?? NODE.initialState(nodeId), event);
    this.nodes.set(nodeId, node);
    const used = slotsUsed(node.slots);
    const capacity = node.description?.capacity ?? 0;
    // Only what is taken can be too much.
    if (event.type === 'SlotReserved' && used > capacity)
      this.violations.push(`${String(used)} places of ${String(capacity)} are held on ${nodeId}`);
  }

  /** As many reservations as rounds that were reserved: none of them twice, given back meanwhile or not. */
  recounted(): readonly string[] {
    return [...this.reservations].flatMap(([spawnId, rounds]) => {
      const count = [...rounds.values()].reduce((sum, times) => sum + times, 0);
      return count === rounds.size
        ? []
        : [`${spawnId}: ${String(count)} reservations in ${String(rounds.size)} rounds`];
    });
  }

  private takeReservation(nodeId: string, { data }: SlotReserved): void {
    const { spawnId, round } = data;
    for (const [other, { slots }] of this.nodes)
      if (spawnId in slots.held)
        this.violations.push(`${spawnId}: a second place on ${nodeId}, beside that on ${other}`);
    const rounds = this.reservations.get(spawnId) ?? new Map<number, number>();
    this.reservations.set(spawnId, rounds.set(round, (rounds.get(round) ?? 0) + 1));
  }
}
