import type { SpawnPorts } from '#spawns/saga';

/** Whoever rests on how the place looked at first: what was not reserved then, it has nothing to give back of. */
export const trustsFirstLook = (ports: SpawnPorts): SpawnPorts => {
  const { slots } = ports;
  let isFree: boolean | null = null;
  return {
    ...ports,
    slots: {
      holders: (...asked) => slots.holders(...asked),
      reserve: (...order) => slots.reserve(...order),
      release: (...order) => slots.release(...order),
      occupy: (...order) => slots.occupy(...order),
      look: async (...asked) => {
        const node = await slots.look(...asked);
        isFree ??= node.slot.state === 'none';
        return isFree ? { ...node, slot: { ...node.slot, fenced: Infinity } } : node;
      },
    },
  };
};
