import type { ChangeView } from '../../../libs/contracts/src/views.js';
import { KEYS } from './keys.js';
import type { Refresher } from './refresher.js';

/** Who reads again: what is shown, and the counts of runs, which take longer to read. */
export interface Readers {
  readonly shown: Pick<Refresher, 'ask'>;
  readonly counts: Pick<Refresher, 'ask'>;
}

/** Asks for all that shows what changed. A kind that a newer server tells of, and this page does not show, asks for nothing. */
export const readAgainAfter = ({ kind, id }: ChangeView, { shown, counts }: Readers): void => {
  switch (kind) {
    case 'run':
      shown.ask(KEYS.runs, KEYS.run(id), KEYS.unknowns);
      return counts.ask(KEYS.counts);
    case 'session': // What a queued run waits for is told from its session.
      return shown.ask(KEYS.runs, KEYS.session(id));
    case 'agent':
      return shown.ask(KEYS.agents);
    case 'node':
      return shown.ask(KEYS.nodes);
    case 'spawn': // Who holds a place is told from its spawn.
      return shown.ask(KEYS.spawns, KEYS.spawn(id), KEYS.unknowns, KEYS.nodes);
  }
};
