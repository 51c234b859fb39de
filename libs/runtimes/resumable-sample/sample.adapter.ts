import {
  ownProgram,
  type AttemptEnd,
  type AttemptEvidence,
  type LaunchPlan,
  type Receipt,
  type RuntimeAdapter,
  type RuntimeReferences,
  type WorkOrder,
} from '#runtimes';
import { ORDER_FILE, type DriverOrder } from './driver/order.js';
import { parseOutcome } from './outcome.js';
import { validateSampleConfig, type SampleConfig } from './sample.config.js';

/** The prompt travels in a file and over a socket: the protocol's bound. */
const PROMPT_MAX_BYTES = 262_144;

/** @param driver how to start the driver; another one only in tests, to show what a wrong driver breaks. */
export const sampleAdapterWith = (
  driver: readonly [string, ...string[]],
): RuntimeAdapter<SampleConfig> => ({
  name: 'resumable-sample',
  capabilities: ({ readBackByKey }) => ({
    attempts: 'resumable',
    deduplicatesByKey: false,
    readBackByKey,
    interruptible: true,
    outlivesClient: true,
  }),
  validateConfig: validateSampleConfig,
  promptMaxBytes: () => PROMPT_MAX_BYTES,
  plan: (order, config) => planSample(driver, order, config),
  interpret: (evidence) => interpretSample(evidence),
});

export const resumableSampleAdapter = sampleAdapterWith(
  ownProgram('./driver/driver', import.meta.url),
);

const planSample = (
  driver: readonly [string, ...string[]],
  { runId, ask, earlierWorkdirs }: WorkOrder,
  { server, connectMaxMs, pollMs, timeLimitMs }: SampleConfig,
): LaunchPlan => {
  const order: DriverOrder = { runId, ask, earlierWorkdirs, server, connectMaxMs, pollMs };
  return {
    argv: driver,
    env: {},
    passEnv: [],
    files: [{ name: ORDER_FILE, content: JSON.stringify(order) }],
    ...(timeLimitMs !== undefined && { timeLimitMs }),
  };
};

const interpretSample = ({ end, outcome, receipts }: AttemptEvidence): AttemptEnd => {
  const references = referencesOf(receipts);
  if (end.kind === 'not-started')
    return end.reason === 'no-go'
      ? { kind: 'not-started' }
      : {
          kind: 'failed',
          code: 'AGENT_NOT_STARTABLE',
          message: 'the driver could not be executed',
          references,
        };
  // The driver died, by whatever hand: the runtime may know more, and can be asked.
  if (outcome === undefined) return { kind: 'interrupted', reason: 'client-died', references };
  const said = parseOutcome(outcome);
  if (said === undefined) return { kind: 'lost', reason: 'malformed-outcome', references };
  const named = { ...said, references: { ...references, ...said.references } };
  if (end.kind === 'gone' || named.kind === 'interrupted' || named.kind === 'lost') return named;
  const exit = { code: end.code, ...(end.signal !== undefined && { signal: end.signal }) };
  return { ...named, exit };
};

/** The newest names that the runtime gave. */
const referencesOf = (receipts: readonly Receipt[]): RuntimeReferences => {
  const thread = receipts.findLast((receipt) => receipt.thread !== undefined)?.thread;
  const turn = receipts.findLast((receipt) => receipt.turn !== undefined)?.turn;
  return { ...(thread !== undefined && { thread }), ...(turn !== undefined && { turn }) };
};
