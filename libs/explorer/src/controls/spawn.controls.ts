import { nothing, take } from '#kernel';
import { NO_SLOTS } from '#nodes/domain';
import { isUnknown } from '#spawns/domain';
import { next, nodeAs, roundOf, spawnAs, type SpawnControl } from './spawn.wrappers.js';

export const SPAWN_CONTROLS: readonly SpawnControl[] = [
  {
    rule: 'an append is refused when the spawn has moved on since it was loaded',
    breaks: 'J6',
    shell: { compareAndSet: false },
  },
  {
    rule: 'a slot is reserved only for a round that is not fenced',
    breaks: 'J2',
    without: nodeAs((command, node) =>
      command.type === 'ReserveSlot'
        ? { ...node, slots: { ...node.slots, fences: NO_SLOTS.fences } }
        : node,
    ),
  },
  {
    rule: 'a round is given up on the spawn before its slot is given back',
    breaks: 'J3',
    without: next((spawn, { slot, node }) =>
      spawn.status === 'pending' && slot.round === roundOf(spawn) && !node.ready
        ? take({ kind: 'releaseSlot', round: roundOf(spawn), reason: 'not ready' })
        : null,
    ),
  },
  {
    rule: 'only what has its slot is dispatched',
    breaks: 'J3',
    without: (rules) => ({
      ...next((spawn) =>
        spawn.status === 'pending'
          ? take({ kind: 'dispatch', round: roundOf(spawn), journalId: 'j' })
          : null,
      )(rules),
      ...spawnAs((command, spawn) => [
        command.type === 'DispatchSpawn'
          ? { ...command, slot: { round: roundOf(spawn), reservedAt: 0 } }
          : command,
        spawn,
      ])(rules),
    }),
  },
  {
    rule: 'a slot is reserved only while the node has room',
    breaks: 'J1',
    without: nodeAs((command, node) =>
      command.type === 'ReserveSlot' && node.description !== null
        ? { ...node, description: { ...node.description, capacity: 99 } }
        : node,
    ),
  },
  {
    rule: 'a round that never had a slot is fenced too',
    breaks: 'L4',
    without: (rules) => ({
      decideNode: (command, node) =>
        command.type === 'ReleaseSlot' && node.slots.held[command.spawnId] === undefined
          ? []
          : rules.decideNode(command, node),
    }),
  },
  {
    rule: 'nothing is started before its claim is granted',
    breaks: 'J7',
    shell: { claimsFirst: false },
  },
  {
    rule: 'only what is unclaimed is revoked',
    breaks: 'J7',
    without: (rules) => ({
      ...next((spawn) =>
        spawn.status === 'claimed' ? take({ kind: 'revoke', generation: 1, reason: 'late' }) : null,
      )(rules),
      ...spawnAs((command, spawn) => [
        command,
        command.type === 'RevokeSpawnDispatch' ? { ...spawn, status: 'dispatched' } : spawn,
      ])(rules),
    }),
  },
  {
    rule: 'a place that was given up is followed by another round',
    breaks: 'L5',
    without: (rules) => ({
      evolveSpawn: (spawn, event) => {
        const after = rules.evolveSpawn(spawn, event);
        if (event.type !== 'SpawnPlacementIntended' || event.data.round === 1) return after;
        if (after.status === 'none' || after.placement === null) return after;
        return { ...after, placement: { ...after.placement, round: event.data.round - 1 } };
      },
    }),
  },
  {
    rule: 'the reservation becomes the slot of the agent',
    breaks: 'J1',
    without: (rules) => ({
      evolveNode: (node, event) => {
        const after = rules.evolveNode(node, event);
        if (event.type !== 'SlotOccupied') return after;
        const slot = after.slots.held[event.data.spawnId];
        if (slot === undefined) return after;
        const held = { ...after.slots.held, [`${event.data.spawnId}/agent`]: slot };
        return { ...after, slots: { ...after.slots, held } };
      },
    }),
  },
  {
    rule: 'a settled spawn whose slot is not given back has a step due',
    breaks: 'J2',
    without: next((spawn) => (spawn.status === 'failed' ? nothing : null)),
  },
  {
    rule: 'one incarnation holds the claim, and a restarted agent closes what it did not start',
    breaks: 'J5',
    shell: { closesAfterRestart: false },
    without: spawnAs((command, spawn) => [
      command,
      command.type === 'ClaimSpawnFrame' && spawn.status === 'claimed'
        ? { ...spawn, status: 'dispatched' }
        : spawn,
    ]),
  },
  {
    rule: 'a spawn that is settled as unknown holds its slot until its node has said that no agent lives',
    breaks: 'J3',
    without: next((spawn, { slot }) =>
      isUnknown(spawn) && slot.fenced < roundOf(spawn)
        ? take({ kind: 'releaseSlot', round: roundOf(spawn), reason: 'it has failed' })
        : null,
    ),
  },
  {
    rule: 'the end of an agent gives its slot back, reserved or occupied',
    breaks: 'J2',
    without: next((spawn, { slot, agent }) =>
      spawn.status === 'completed' && agent === 'ended' && slot.state === 'reserved'
        ? nothing
        : null,
    ),
  },
  {
    rule: 'what is settled stays as it is',
    breaks: 'J6',
    without: (rules) => ({
      ...next((spawn) =>
        spawn.status === 'failed' ? take({ kind: 'settleUnknown', reason: 'again' }) : null,
      )(rules),
      ...spawnAs((command, spawn) => [
        command,
        command.type === 'SettleSpawnUnknown' ? { ...spawn, status: 'claimed' } : spawn,
      ])(rules),
    }),
  },
];
