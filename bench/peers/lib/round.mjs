import { setTimeout as pause } from 'node:timers/promises';
import { checksumOf, jobOf, outcomeOf } from './job.mjs';
import { LIMITS } from './peer.mjs';
import { quantile } from './quantile.mjs';
import { WorkerProcess } from './worker-process.mjs';

/** Not measured: programs are compiled, plans made and connections opened. */
const WARM_UP = 200;
const ONE_AT_A_TIME = 200;
/** Jobs that arrive at random moments at an idle system, and the mean of the gaps between them, ms. */
const SPACED = 100;
const GAP_MEAN_MS = 20;
const WINDOW = 64;
/** How often the database is asked whether all outcomes are there, ms; and how long. */
const LOOK_EVERY_MS = 10;
const SETTLE_MAX_MS = 120_000;

/**
 * What one round of one peer gave. Times in ms.
 *
 * @typedef {object} Round
 * @property {string} peer
 * @property {number} acceptP50 one in flight.
 * @property {number} dispatchP50 from the acceptance to the start of the job, on an idle system.
 * @property {number} accept64P50
 * @property {number} accept64P99
 * @property {number} seconds from the first of `jobs` submissions, 64 in flight, to the last recorded outcome.
 * @property {number} jobs
 * @property {number} rate `jobs / seconds`.
 */

/**
 * @param {import('./peer.mjs').Peer} peer
 * @param {object} of
 * @param {string} of.url of the peer's own database.
 * @param {import('pg').Client} of.database connected to it.
 * @param {string} of.batch unique.
 * @param {number} of.jobs
 * @returns {Promise<Round>}
 * @throws {Error} a job is missing, was run twice, or has another outcome: the round is void.
 */
export const measureRound = async (peer, { url, database, batch, jobs }) => {
  const worker = await WorkerProcess.start(peer, url);
  try {
    const client = await peer.client(url, LIMITS);
    try {
      const run = new Run(peer, client, worker, database, batch);
      await run.atOnce(WARM_UP);
      await run.settled();
      const oneByOne = await run.oneByOne(ONE_AT_A_TIME);
      await run.settled();
      const spaced = await run.spaced(SPACED);
      await run.settled();
      const from = performance.now();
      const accepted = await run.atOnce(jobs);
      await run.settled();
      const seconds = (performance.now() - from) / 1_000;
      await run.verify();
      const took = accepted.map(({ ms }) => ms);
      return {
        peer: peer.name,
        acceptP50: quantile(
          oneByOne.map(({ ms }) => ms),
          0.5,
        ),
        dispatchP50: quantile(
          spaced.map((one) => run.dispatchMs(one)),
          0.5,
        ),
        accept64P50: quantile(took, 0.5),
        accept64P99: quantile(took, 0.99),
        seconds,
        jobs,
        rate: jobs / seconds,
      };
    } finally {
      await client.close();
    }
  } finally {
    await worker.stop();
  }
};

/** @typedef {{ readonly n: number, readonly ms: number, readonly atNs: bigint }} Accepted */

class Run {
  submitted = 0;

  /**
   * @param {import('./peer.mjs').Peer} peer
   * @param {import('./peer.mjs').Client} client
   * @param {WorkerProcess} worker
   * @param {import('pg').Client} database
   * @param {string} batch
   */
  constructor(peer, client, worker, database, batch) {
    this.peer = peer;
    this.client = client;
    this.worker = worker;
    this.database = database;
    this.batch = batch;
  }

  /** @returns {Promise<Accepted>} */
  async accept() {
    const n = this.submitted++;
    const job = jobOf(this.batch, n);
    const from = performance.now();
    await this.client.accept(job);
    return { n, ms: performance.now() - from, atNs: process.hrtime.bigint() };
  }

  /** @param {number} count */
  async oneByOne(count) {
    const accepted = [];
    for (let done = 0; done < count; done += 1) accepted.push(await this.accept());
    return accepted;
  }

  /** At moments that follow no beat, so that a poll is met at any time between two of its looks. @param {number} count */
  async spaced(count) {
    /** @type {Promise<Accepted>[]} */
    const accepted = [];
    for (let done = 0; done < count; done += 1) {
      await pause(-Math.log(1 - Math.random()) * GAP_MEAN_MS);
      accepted.push(this.accept());
    }
    return Promise.all(accepted);
  }

  /** Always as many in flight as the window allows. @param {number} count */
  async atOnce(count) {
    /** @type {Accepted[]} */
    const accepted = [];
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        accepted.push(await this.accept());
      }
    };
    await Promise.all(Array.from({ length: WINDOW }, lane));
    return accepted;
  }

  /** Until every job that was accepted has its recorded outcome. */
  async settled() {
    await this.worker.hasStarted(this.submitted);
    const count = `SELECT count(*)::int AS outcomes FROM (${this.peer.outcomes.text}) AS settled`;
    const deadline = performance.now() + SETTLE_MAX_MS;
    for (;;) {
      const { rows } = await this.database.query(count, [this.batch]);
      if (rows[0].outcomes >= this.submitted) return;
      if (performance.now() > deadline) throw this.void(`${rows[0].outcomes} outcomes`);
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Counts what was done, and compares its checksum with that of what had to be done. */
  async verify() {
    const { rows } = await this.database.query(this.peer.outcomes.text, [this.batch]);
    const outcomes = rows.map(this.peer.outcomes.read);
    const wanted = Array.from({ length: this.submitted }, (_, n) =>
      outcomeOf(jobOf(this.batch, n)),
    );
    if (outcomes.length !== wanted.length) throw this.void(`${outcomes.length} outcomes`);
    if (this.worker.executions !== wanted.length)
      throw this.void(`${this.worker.executions} executions`);
    if (checksumOf(outcomes) !== checksumOf(wanted)) throw this.void('other outcomes');
  }

  /** @param {Accepted} accepted */
  dispatchMs({ n, atNs }) {
    return Number((this.worker.startedAt.get(n) ?? atNs) - atNs) / 1e6;
  }

  /** @param {string} found */
  void(found) {
    return new Error(
      `void: ${this.peer.name}, ${this.batch}: ${this.submitted} jobs were accepted, but there are ${found}`,
    );
  }
}
