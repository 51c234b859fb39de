import { take } from '#kernel';
import { NO_SLOTS } from '#nodes/domain';
import type { SpawnBounds } from '../spawns/index.js';
import { next, nodeAs, roundOf, spawnAs, type SpawnControl } from './spawn.wrappers.js';

/** One that names no node, on two that are alike. */
const bounds: Partial<SpawnBounds> = { kind: 'generic', others: 1 };

/** Rules that matter once a spawn may go elsewhere. */
export const GENERIC_SPAWN_CONTROLS: readonly SpawnControl[] = [
  {
    rule: 'only what is unclaimed is taken back',
    breaks: 'J5',
    bounds: { ...bounds, others: 0, crashes: 0, lostAnswers: 0 },
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
    rule: 'what was taken back is claimed no more',
    breaks: 'J3',
    bounds,
    without: spawnAs((command, spawn) => {
      const { dispatch } = spawn;
      if (command.type !== 'ClaimSpawnFrame' || spawn.status !== 'releasing')
        return [command, spawn];
      return [command, dispatch === null ? spawn : { ...spawn, status: 'dispatched' }];
    }),
  },
  {
    rule: 'a claim names the generation that was sent last',
    breaks: 'J7',
    bounds,
    without: spawnAs((command, spawn) => {
      const { dispatch } = spawn;
      if (command.type !== 'ClaimSpawnFrame' || dispatch === null) return [command, spawn];
      const { generation, journalId } = command;
      return [command, { ...spawn, dispatch: { ...dispatch, generation, journalId } }];
    }),
  },
  {
    rule: 'its place is given back before it is placed elsewhere',
    breaks: 'J2',
    bounds,
    without: (rules) => ({
      ...next((spawn, _context, place) =>
        spawn.status === 'releasing' && place !== null
          ? take({ kind: 'intendPlacement', round: roundOf(spawn) + 1, nodeId: place })
          : null,
      )(rules),
      ...spawnAs((command, spawn) => [
        command.type === 'IntendPlacement' ? { ...command, released: true } : command,
        spawn,
      ])(rules),
    }),
  },
  {
    rule: 'a reservation that was held up finds its round fenced where it was placed before',
    breaks: 'J2',
    bounds,
    without: nodeAs((command, node) =>
      command.type === 'ReserveSlot'
        ? { ...node, slots: { ...node.slots, fences: NO_SLOTS.fences } }
        : node,
    ),
  },
];
