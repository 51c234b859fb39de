import { checkEvent } from '#contracts';
import { AggregateStore, StoreUnavailable, StreamDiverged } from '#event-store';
import type { Metrics } from '#platform';
import { connectLink, type NatsLink } from './connection.js';
import { JetStreamEventStore, type JetStreamStoreOptions } from './jetstream-store.js';
import { STREAM } from './names.js';
import { sleep } from './patience.js';
import { StreamGuard, type DivergenceMemory } from './stream-guard.js';
import { TopologyMismatch, assertTopology, type Topology } from './topology-check.js';

export interface BackboneOptions {
  readonly natsUrl: string;
  /** The service's name. */
  readonly service: string;
  /** `create` also makes the streams that are missing. */
  readonly mode: 'create' | 'check';
  /** Copies of each stream. */
  readonly replicas: number;
  /** Whoever configured the broker says that it syncs every write. */
  readonly declaredSync: 'always' | undefined;
  readonly memory: DivergenceMemory;
  /** Where appends are counted. */
  readonly metrics: Metrics;
  /** Told once, of a stream that was replaced while the process ran: it stops serving, and exits. */
  readonly onDiverged: (error: StreamDiverged) => void;
  /** Told each time that the process still can't begin, and why; it tries again. */
  readonly onWaiting: (why: unknown) => void;
}

/** What a process that reads or writes events stands on. */
export interface Backbone {
  readonly link: NatsLink;
  readonly topology: Topology;
  readonly events: JetStreamEventStore;
  readonly aggregates: AggregateStore;
  readonly guard: StreamGuard;
}

/** The pause before what is not there yet is looked for again: streams, or the word that a restore was meant. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Connects, compares the live topology with the declared one, and makes sure that the stream is the one that was seen
 * last. Waits for the broker, for streams that another service makes, and for an operator, for as long as it takes.
 *
 * @throws TopologyMismatch a live setting breaks a guarantee: the process must not serve.
 */
export const openBackbone = async (options: BackboneOptions): Promise<Backbone> => {
  const link = await connectLink({
    url: options.natsUrl,
    name: options.service,
    connectWithinMs: Infinity,
  });
  const topology = await untilItIs(options, isAbsence, () =>
    assertTopology(link, {
      mode: options.mode,
      replicas: options.replicas,
      ...(options.declaredSync === undefined ? {} : { declaredSync: options.declaredSync }),
    }),
  );
  const events = new JetStreamEventStore(link, {
    onSeen: (revision, bodyHash) => {
      guard.seen(revision, bodyHash);
    },
    onAppend: countAppends(options.metrics),
  });
  const guard = new StreamGuard(events, link, options);
  await untilItIs(options, isUnclear, () => guard.start());
  const aggregates = new AggregateStore(events, { checkEvent });
  // What was folded of a stream that was restored meanwhile is worth nothing; of the same one it is read again.
  link.onReconnect(() => {
    aggregates.forget();
  });
  return { link, topology, events, aggregates, guard };
};

const countAppends = (metrics: Metrics): NonNullable<JetStreamStoreOptions['onAppend']> => {
  const count = metrics.counter('appends_total', 'Appends by what they came to.', [
    'aggregate',
    'outcome',
  ]);
  const seconds = metrics.seconds('append_seconds', 'How long appends took.', ['aggregate']);
  return (aggregate, outcome, ms) => {
    count.inc({ aggregate, outcome });
    seconds.observe({ aggregate }, ms / 1_000);
  };
};

const untilItIs = async <Value>(
  { onWaiting }: Pick<BackboneOptions, 'onWaiting'>,
  passes: (error: unknown) => boolean,
  look: () => Promise<Value>,
): Promise<Value> => {
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!passes(error)) throw error;
      onWaiting(error);
      await sleep(LOOK_AGAIN_MS);
    }
  }
};

/** Only streams are missing: another service makes them. */
const isAbsence = (error: unknown): boolean =>
  error instanceof TopologyMismatch &&
  error.differences.every(({ field }) => Object.values<string>(STREAM).includes(field));

/** Not the stream that was seen last, or none that can be read: both may be over with the next look. */
const isUnclear = (error: unknown): boolean =>
  error instanceof StreamDiverged || error instanceof StoreUnavailable;
