import { chanceOf } from '../support/faults.js';
import { Cluster } from './cluster.js';
import { FAULT_WINDOWS, type ClusterFault } from './faults.js';
import { Load } from './load.js';
import { HELP, parseClusterOptions, type ClusterOptions } from './options.js';
import { lines, prove, settle, table, type FaultFigures } from './proof.js';

/** `npm run cluster`: see {@link HELP}. */
const main = async (options: ClusterOptions): Promise<boolean> => {
  const from = performance.now();
  const say = (what: string): void => {
    console.error(`${((performance.now() - from) / 1_000).toFixed(1).padStart(6)} s  ${what}`);
  };
  const chance = chanceOf(options.seed);
  const cluster = await Cluster.start({ say });
  try {
    const { far } = cluster;
    say(`up; the node is cut off by ${far.by}${far.why === undefined ? '' : `: ${far.why}`}`);
    const load = new Load(cluster.clients, chance);
    load.start();
    const figures: FaultFigures[] = [];
    for (let round = 1; round <= options.rounds; round += 1)
      for (const fault of round === 1 ? options.faults : shuffled(options.faults, chance)) {
        say(`round ${String(round)}: ${fault.name}`);
        figures.push(await prove(cluster, load, fault, FAULT_WINDOWS));
      }
    say('the account');
    const { account } = await settle(cluster, load);
    const ended = cluster.events.filter((event) => event.kind === 'ended' && !byUs(event.name));
    if (options.json) console.log(JSON.stringify({ figures, account, ended }, undefined, 2));
    else
      console.log(
        [table(figures), lines(account), `ended by themselves: ${String(ended.length)}`].join(
          '\n\n',
        ),
      );
    return account.lost.length + account.doubled.length + account.broken.length === 0;
  } finally {
    if (options.keep) {
      say(`kept in ${cluster.folder}`);
      await cluster.stop();
    } else await cluster.destroy();
  }
};

/** What faults kill is no end by itself. */
const byUs = (name: string): boolean => name.startsWith('nats-server');

const shuffled = (faults: readonly ClusterFault[], chance: () => number): readonly ClusterFault[] =>
  faults
    .map((fault) => ({ fault, at: chance() }))
    .sort((one, other) => one.at - other.at)
    .map(({ fault }) => fault);

let options: ClusterOptions | undefined;
try {
  options = parseClusterOptions(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
if (options?.help === true) console.log(HELP);
else if (options !== undefined) process.exit((await main(options)) ? 0 : 1);
