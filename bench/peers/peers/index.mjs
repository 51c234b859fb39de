import { dbos } from './dbos.mjs';
import { graphileWorker } from './graphile-worker.mjs';
import { pgBossNotify, pgBossPolling } from './pg-boss.mjs';

/** In the order of a first round; each later one starts with the next of them. */
export const PEERS = [dbos, pgBossNotify, pgBossPolling, graphileWorker];
