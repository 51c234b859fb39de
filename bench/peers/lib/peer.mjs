/**
 * Something that does Holdfast's main job: it accepts a job durably, runs it in another process, and records its outcome.
 *
 * @typedef {object} Peer
 * @property {string} name as in the ids of its figures.
 * @property {string} packageName
 * @property {(url: string, limits: Limits) => Promise<Client>} client wants a worker that was ready once.
 * @property {(url: string, perform: Perform, limits: Limits) => Promise<() => Promise<unknown>>} work makes its tables, if
 *   the database is empty, and runs jobs in this process; answers how to end that.
 * @property {Outcomes} outcomes what it recorded.
 *
 * @typedef {object} Limits the same for every peer.
 * @property {number} poolMax connections of a process.
 * @property {number} concurrency jobs that a worker may run at once.
 *
 * @typedef {object} Client
 * @property {(job: import('./job.mjs').Job) => Promise<void>} accept resolves when the job is durable.
 * @property {() => Promise<unknown>} close
 *
 * @typedef {(job: import('./job.mjs').Job) => Promise<string>} Perform
 *
 * @typedef {object} Outcomes
 * @property {string} text a query; its parameter is the batch, and a row is one settled job.
 * @property {(row: any) => string} read
 */

/** What every peer is given. Two processes at once, with these connections, fit into the sixty of the server. */
export const LIMITS = { poolMax: 20, concurrency: 64 };
