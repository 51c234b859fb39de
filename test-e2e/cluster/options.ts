import { parseArgs } from 'node:util';
import { CLUSTER_FAULTS, type ClusterFault } from './faults.js';

/** What a proof by hand is asked for. */
export interface ClusterOptions {
  readonly help: boolean;
  readonly faults: readonly ClusterFault[];
  readonly rounds: number;
  readonly seed: number;
  readonly json: boolean;
  readonly keep: boolean;
}

export const HELP = `npm run cluster [-- options]

Three brokers with three copies of each stream, two of each service, two nodes, all on this machine: strikes them one
after the other under a steady load of submissions, and gives account. Ends with 1 when anything was lost or doubled. A
round takes about three minutes on two cores.

  --fault WORDS    inflict only faults whose name contains this; can be given more than once:
${CLUSTER_FAULTS.map(({ name }) => `                     ${name}`).join('\n')}
  --rounds N       go through them so often, 1 to 100; from the second round on in an order that the seed decides. Default: 1
  --seed N         decides that order, and how long programs work. Default: 1
  --json           print figures and account as JSON
  --keep           leave logs and stores behind, and say where
  --help           show this

A node is cut off in a network namespace of its own, which takes root and the program ip (Debian: iproute2). Where that
is not permitted a proxy stands in for it, and the table says so.
`;

/** @throws Error in plain words: an option or fault that does not exist, a number out of its range. */
export const parseClusterOptions = (argv: readonly string[]): ClusterOptions => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      fault: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const words = values.fault ?? [];
  const unheardOf = words.find((word) => !CLUSTER_FAULTS.some(({ name }) => name.includes(word)));
  if (unheardOf !== undefined) throw new Error(`no fault is called "${unheardOf}"`);
  const faults = CLUSTER_FAULTS.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  return {
    help: values.help,
    faults,
    rounds: numberOf('--rounds', values.rounds, [1, 100]),
    seed: numberOf('--seed', values.seed, [0, 2 ** 31]),
    json: values.json,
    keep: values.keep,
  };
};

const numberOf = (
  name: string,
  text: string,
  [lowest, highest]: readonly [number, number],
): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < lowest || number > highest)
    throw new Error(
      `${name} is ${text}; it takes a whole number from ${String(lowest)} to ${String(highest)}`,
    );
  return number;
};
