import type { NodeView } from '../../../libs/contracts/src/views.js';

export type ServiceChange = 'drain' | 'return';

/** What can be done about a node's service now: one of the two, or nothing. */
export const serviceChangeOf = ({
  membership,
  drained,
}: Pick<NodeView, 'membership' | 'drained'>): ServiceChange | null => {
  if (membership === 'left') return null;
  return drained === null ? 'drain' : 'return';
};

/** What the change does, in plain words. Pure. Source: `libs/nodes/src/domain/slot.decider.ts`, `strict-spawn.next.ts`. */
export const consequencesOfService = (
  { name, slots }: Pick<NodeView, 'name' | 'slots'>,
  change: ServiceChange,
): readonly string[] => {
  const recorded = 'It is recorded with your name and your reason, and shown with the node.';
  switch (change) {
    case 'drain':
      return [
        `Node ${name} gives no place to another agent until it is returned, also over restarts.`,
        slots.length === 0
          ? 'It holds no agent now.'
          : `What holds its ${places(slots.length)} is not touched: an agent goes on until it ends or is stopped.`,
        'A strict spawn that names this node waits for it, and goes to no other node; one that demands readiness is refused.',
        recorded,
      ];
    case 'return':
      return [
        `Node ${name} may get agents again at once: spawns that wait for it go on by themselves.`,
        recorded,
      ];
  } // No default: a new change does not compile until its consequences are told.
};

/** How many places are free: none where more are taken than there are, as after a change of its configuration. */
export const freePlaces = ({ capacity, slots }: Pick<NodeView, 'capacity' | 'slots'>): number =>
  Math.max(0, capacity - slots.length);

const places = (count: number): string => (count === 1 ? 'one place' : `${String(count)} places`);
