import { ConfigCheck, type Validated } from '#runtimes';

/** Which traps the sample runtime sets. Each was seen in a real runtime, and each can be switched. */
export interface Behaviours {
  /** Part of turns that are acknowledged and then forgotten. 0 to 1. */
  readonly loseAckedTurn: number;
  /** Part of turns that are interrupted when the client that asked for them is gone; the others are finished. 0 to 1. */
  readonly abortWhenClientDies: number;
  /** What a second process on the same data shows of a turn that runs in the first. */
  readonly liveTurnElsewhere: 'interrupted' | 'running';
  /** Resuming a thread is refused while another process runs a turn in it. */
  readonly fence: boolean;
  /** A second prompt is put into the running turn; otherwise it is refused. */
  readonly steer: boolean;
  /** The same client id again gives the same turn. Off, as in most runtimes. */
  readonly deduplicate: boolean;
  /** A turn can be found by the client's id. */
  readonly readBackByClientId: boolean;
  /** Withholds lines of a turn from its client, from this one on: the work itself goes on. */
  readonly hold: 'none' | 'ack' | 'observed' | 'end';
  /** Which turns the parts above hit: the same seed and client id give the same fate. */
  readonly seed: number;
}

export const DEFAULT_BEHAVIOURS: Behaviours = {
  loseAckedTurn: 0,
  abortWhenClientDies: 0,
  liveTurnElsewhere: 'interrupted',
  fence: true,
  steer: true,
  deduplicate: false,
  readBackByClientId: true,
  hold: 'none',
  seed: 1,
};

const SEED_MAX = 2 ** 31;

/** @param raw some of the behaviours; what is not named stays as in `base`. */
export const validateBehaviours = (
  raw: unknown,
  base: Behaviours = DEFAULT_BEHAVIOURS,
): Validated<Behaviours> => {
  const check = new ConfigCheck(raw);
  const part = (name: 'loseAckedTurn' | 'abortWhenClientDies'): number => {
    const value = check.take(name) ?? base[name];
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    check.problems.push(`${name}: must be a number from 0 to 1`);
    return base[name];
  };
  const flag = (name: 'fence' | 'steer' | 'deduplicate' | 'readBackByClientId'): boolean => {
    const value = check.take(name) ?? base[name];
    if (typeof value === 'boolean') return value;
    check.problems.push(`${name}: must be true or false`);
    return base[name];
  };
  const behaviours: Behaviours = {
    loseAckedTurn: part('loseAckedTurn'),
    abortWhenClientDies: part('abortWhenClientDies'),
    liveTurnElsewhere:
      check.oneOf('liveTurnElsewhere', ['interrupted', 'running']) ?? base.liveTurnElsewhere,
    fence: flag('fence'),
    steer: flag('steer'),
    deduplicate: flag('deduplicate'),
    readBackByClientId: flag('readBackByClientId'),
    hold: check.oneOf('hold', ['none', 'ack', 'observed', 'end']) ?? base.hold,
    seed: check.integer('seed', [0, SEED_MAX]) ?? base.seed,
  };
  return check.finish(() => behaviours);
};
