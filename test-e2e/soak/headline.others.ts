import { elsewhere, noSuchPart, type HeadlineRow } from './headline.js';

const BROWSER = 'no browser is driven: runtimes are programs and servers that are spoken to';
const REPLAY =
  'no code is replayed over recorded histories: state is a fold of events, and a rebuild of all read models compares its rows';
const SPAWN = 'spawns are not built yet; a run is the only unit of work';
const PLANS = 'no plans or goals: runs, sessions and stops are all there is';
const SUITE = 'the tests of this project: `npm test`';
const FOREIGN = 'a number about another code base, with nothing to compare';

/** The others, with the reason why this soak has nothing to show for them. */
export const OTHER_ROWS: readonly (readonly [ids: string, ours: HeadlineRow['ours']])[] = [
  ['HF-15, HF-34 to HF-39', noSuchPart(REPLAY)],
  [
    'HF-19, HF-20, HF-21',
    elsewhere(`${SUITE} (sweeps, shutdowns, restarts of Postgres, lost acknowledgements)`),
  ],
  ['HF-22 to HF-29, HF-31', noSuchPart(BROWSER)],
  ['HF-40, HF-41, HF-45, HF-58, HF-63 to HF-65', noSuchPart(FOREIGN)],
  ['HF-42, HF-43', noSuchPart(PLANS)],
  ['HF-44', noSuchPart('backups are the broker’s; how long a restore takes is not measured here')],
  ['HF-46', elsewhere('the conformance suite of each adapter, which declares its class')],
  ['HF-48 to HF-53, HF-56', noSuchPart(SPAWN)],
  ['HF-57, HF-59, HF-60, HF-66, HF-69', elsewhere(SUITE)],
  ['HF-62', elsewhere(`${SUITE} (a sweep pages until all is seen)`)],
];
