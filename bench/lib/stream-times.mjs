import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { median } from './figures.mjs';

/** How many messages the ledgers of a system hold: what was appended to them, by whomever. @param {import('./stack.mjs').System} system */
export const commitsIn = async ({ link }) => {
  const manager = await jetstreamManager(link.connection);
  const [events, frames] = await Promise.all(
    ['HF_EVENTS', 'HF_FRAMES'].map((name) => manager.streams.info(name)),
  );
  return { events: events?.state.last_seq ?? 0, frames: frames?.state.last_seq ?? 0 };
};

/**
 * From a run's first event to its claim, by the broker's stamps: the median over runs.
 *
 * @param {import('./stack.mjs').System} system
 * @param {readonly string[]} runIds
 * @param {number} after the stream's end before the first of them
 */
export const claimP50Of = async ({ link }, runIds, after) => {
  const { events } = await commitsIn(/** @type {import('./stack.mjs').System} */ ({ link }));
  const consumer = await jetstream(link.connection).consumers.get('HF_EVENTS', {
    opt_start_seq: after + 1,
  });
  const messages = await consumer.consume();
  /** @type {Map<string, number>} */
  const submittedNs = new Map();
  /** @type {Map<string, number>} */
  const claimedNs = new Map();
  for await (const message of messages) {
    const runId = message.subject.split('.').at(-1) ?? '';
    const types = (message.headers?.get('hf-types') ?? '').split(',');
    if (types.includes('RunSubmitted')) submittedNs.set(runId, message.info.timestampNanos);
    if (types.includes('RunClaimed')) claimedNs.set(runId, message.info.timestampNanos);
    if (message.seq >= events) break;
  }
  return median(
    runIds.map((id) => ((claimedNs.get(id) ?? Number.NaN) - (submittedNs.get(id) ?? 0)) / 1e6),
  );
};
