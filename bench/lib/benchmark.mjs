/**
 * What a benchmark is given for one round.
 *
 * @typedef {object} Round
 * @property {import('./stack.mjs').System} system
 * @property {import('./raw.mjs').Raw} raw what it is compared with, on the same broker, disk and database
 * @property {import('./callers.mjs').Submit} submit over NATS
 * @property {import('./figures.mjs').Ledger} ledger takes what is measured
 * @property {number} rounds for what takes its own turns
 * @property {number} runs of `volume`
 *
 * @typedef {(round: Round) => Promise<void>} Benchmark
 */
export {};
