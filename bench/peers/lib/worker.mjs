/** A worker as a process of its own: `node worker.mjs PEER DATABASE_URL`. It ends when its parent asks it to, or is gone. */
import { PEERS } from '../peers/index.mjs';
import { outcomeOf } from './job.mjs';
import { LIMITS } from './peer.mjs';

/** Starts are told in lots: a message for each would cost more than the work. */
const TELL_EVERY_MS = 20;

const [name, url = ''] = process.argv.slice(2);
const peer = PEERS.find((one) => one.name === name);
if (peer === undefined) throw new Error(`there is no peer of the name ${name}`);

/** @param {unknown} message */
const tell = (message) => process.connected && process.send?.(message);

/** @type {[batch: string, n: number, atNs: string][]} */
let starts = [];
/** @param {import('./job.mjs').Job} job */
const perform = async (job) => {
  starts.push([job.batch, job.n, String(process.hrtime.bigint())]);
  return outcomeOf(job);
};
const telling = setInterval(() => {
  if (starts.length > 0) tell({ starts });
  starts = [];
}, TELL_EVERY_MS);

const end = await peer.work(url, perform, LIMITS);
process.once('disconnect', () => process.exit(0));
process.once('message', async () => {
  clearInterval(telling);
  await end();
  process.exit(0);
});
tell({ ready: true });
