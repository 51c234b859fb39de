import { chanceOf } from '../support/faults.js';
import type { Process } from './pairs.js';

/** What a steered round kills, and in which company: with its node at work, or after that fell silent. */
export interface Steering {
  readonly victim: Process;
  readonly node: 'at-work' | 'silent';
}

/** One cover: after all of these, every possible pair was aimed at. */
export const STEERINGS: readonly Steering[] = [
  ...(
    [
      'gateway',
      'commands',
      'sagas',
      'projector',
      'queries',
      'reconciler',
      'node-agent',
      'nats-server',
      'postgres',
    ] as const
  ).map((victim) => ({ victim, node: 'at-work' }) as const),
  { victim: 'shim', node: 'at-work' },
  { victim: 'program', node: 'at-work' },
  { victim: 'shim', node: 'silent' },
  { victim: 'program', node: 'silent' },
];

/** One round, known by its number and the seed alone, so that it can be repeated. */
export interface PlannedRound {
  readonly round: number;
  /** Of the chance in this round. */
  readonly seed: number;
  /** Absent: any victim, at any moment. */
  readonly steering?: Steering;
}

/** After the first cover, every so manieth round is steered; the others strike at any moment. */
const STEERED_EVERY = 2;

/** The first rounds are one cover, in an order that the seed decides; then random and steered rounds take turns. */
export const roundOf = (seed: number, round: number): PlannedRound => {
  const planned = { round, seed: seed + round };
  const cover = STEERINGS.length;
  if (round <= cover) return { ...planned, ...steered(seed, 0, round - 1) };
  const later = round - cover - 1;
  if (later % STEERED_EVERY !== STEERED_EVERY - 1) return planned;
  const nth = Math.floor(later / STEERED_EVERY);
  return { ...planned, ...steered(seed, 1 + Math.floor(nth / cover), nth % cover) };
};

const steered = (seed: number, cover: number, at: number): { readonly steering?: Steering } => {
  const steering = shuffled(STEERINGS, chanceOf(seed * 31 + cover))[at];
  return steering === undefined ? {} : { steering };
};

const shuffled = <Item>(items: readonly Item[], chance: () => number): readonly Item[] =>
  items
    .map((item) => ({ item, at: chance() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
