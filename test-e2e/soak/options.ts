import { parseArgs } from 'node:util';

export const HELP = `npm run soak [-- options]

Kills every process of a whole system, over and over, while runs stand in every state, and checks that nothing that was
accepted is lost, sent twice or left running. Times what follows a death, and writes a report.

  --rounds N      how many rounds (default: 100). The first 13 aim at every possible pair of process and state;
                  then rounds that strike at any moment and aimed ones take turns.
  --minutes N     as many rounds as fit into this time (instead of --rounds, or whichever comes first)
  --seed N        another seed is other moments, victims and orders (default: 20261129)
  --from N        begins with this round: --from 17 --rounds 1 repeats round 17
  --only PART     one part only; can be given more than once: control, timings, rounds
  --sabotage NAME rounds on a copy of the build with a rule taken out, which must be caught. claim: a node starts
                  unasked; once: and forgets what it has started; sequence: appends are not compared
  --out FOLDER    where soak.json, soak.md and headline-figures.md go (default: .cache/soak; the published ones are in docs)
  --help          show this

Ctrl-C ends it, and writes the report of what was done; a second one leaves at once.
Exit codes: 0 all is as it must be; 1 something is not; 2 wrong usage; 3 too little was done to say so; 130 ended by Ctrl-C.
`;

export const PARTS = ['control', 'timings', 'rounds'] as const;
export type Part = (typeof PARTS)[number];
export const SABOTAGES = ['once', 'claim', 'sequence'] as const;

export interface SoakOptions {
  /** Infinity when only the time bounds it. */
  readonly rounds: number;
  /** Of all that is done, in minutes; Infinity when only the number of rounds bounds it. */
  readonly minutes: number;
  readonly seed: number;
  readonly from: number;
  readonly parts: readonly Part[];
  readonly sabotage: (typeof SABOTAGES)[number] | null;
  readonly out: string;
  readonly help: boolean;
}

const ROUNDS = 100;
const SEED = 20_261_129;
const ROUNDS_MAX = 100_000;
const SEED_MAX = 2 ** 31;
const A_WEEK_IN_MINUTES = 7 * 24 * 60;

/** @throws Error in plain words: an option that does not exist, or a value that can't be. */
export const parseSoakOptions = (argv: readonly string[]): SoakOptions => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      from: { type: 'string' },
      only: { type: 'string', multiple: true },
      sabotage: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const only = (values.only ?? []).map((name) => oneOf('--only', PARTS, name));
  const minutes = number('--minutes', values.minutes, Infinity, [0.1, A_WEEK_IN_MINUTES]);
  const rounds = values.minutes === undefined ? ROUNDS : Infinity;
  return {
    rounds: whole('--rounds', values.rounds, rounds, [1, ROUNDS_MAX]),
    minutes,
    seed: whole('--seed', values.seed, SEED, [0, SEED_MAX]),
    from: whole('--from', values.from, 1, [1, ROUNDS_MAX]),
    parts: only.length === 0 ? PARTS : PARTS.filter((part) => only.includes(part)),
    sabotage:
      values.sabotage === undefined ? null : oneOf('--sabotage', SABOTAGES, values.sabotage),
    out: values.out ?? '.cache/soak',
    help: values.help ?? false,
  };
};

const oneOf = <Name extends string>(
  option: string,
  names: readonly Name[],
  given: string,
): Name => {
  const found = names.find((name) => name === given);
  if (found === undefined)
    throw new Error(`${option}: "${given}" is not one of ${names.join(', ')}`);
  return found;
};

const number = (
  option: string,
  given: string | undefined,
  fallback: number,
  [min, max]: readonly [number, number],
): number => {
  if (given === undefined) return fallback;
  const value = Number(given);
  if (given.trim() === '' || !(value >= min && value <= max))
    throw new Error(`${option}: "${given}" is not a number from ${min} to ${max}`);
  return value;
};

const whole = (...[option, given, fallback, bounds]: Parameters<typeof number>): number => {
  const value = number(option, given, fallback, bounds);
  if (given !== undefined && !Number.isInteger(value))
    throw new Error(`${option}: "${given}" is not a whole number`);
  return value;
};
