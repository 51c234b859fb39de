import { RetentionPolicy, StorageType, DiscardPolicy, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { STREAM, frameConsumerName, type StreamName } from './names.js';

/** What is configured per installation; everything else about a stream is fixed by the table below. */
export interface TopologyOptions {
  /** Copies of each stream: 1 locally, 3 in production. */
  readonly replicas: number;
  /** How long the broker remembers message ids. A fast path only, no guarantee rests on it. Default 120,000 ms. */
  readonly duplicateWindowMs?: number;
}

/** One stream as it is declared. */
export interface StreamDeclaration {
  readonly name: StreamName;
  readonly config: StreamConfig;
}

/** Source: nats-server's own default. */
export const DUPLICATE_WINDOW_MS = 120_000;

/** The largest message of each stream, in bytes, headers included. The broker's own bound is 1 MiB. */
const MESSAGE_BYTES_MAX = {
  [STREAM.events]: 768 * 1024 + 16 * 1024,
  [STREAM.frames]: 768 * 1024,
  [STREAM.output]: 64 * 1024 + 4 * 1024,
  [STREAM.leases]: 64 * 1024,
} as const;

const ledger = (
  name: StreamName,
  subjects: string[],
  options: TopologyOptions,
): StreamDeclaration => ({
  name,
  config: {
    name,
    subjects,
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New, // Full means refused, never forgotten.
    max_msgs: -1,
    max_bytes: -1,
    max_age: 0,
    max_msgs_per_subject: -1,
    max_msg_size: MESSAGE_BYTES_MAX[name],
    max_consumers: -1,
    num_replicas: options.replicas,
    duplicate_window: nanos(options.duplicateWindowMs ?? DUPLICATE_WINDOW_MS),
    deny_delete: true, // Without these two, an expected sequence of 0 could pass a second time.
    deny_purge: true,
    allow_rollup_hdrs: false,
    allow_direct: true,
    no_ack: false,
    sealed: false,
  } as unknown as StreamConfig,
});

/**
 * Every stream: its subjects and limits. The subjects name every token, so that nothing else is ever stored; none of
 * them matches `hf.cmd.>`, `hf.qry.>` or `hf.ask.>`, where an acknowledgement would race the reply.
 */
export const declaredStreams = (options: TopologyOptions): readonly StreamDeclaration[] => [
  ledger(STREAM.events, ['hf.ev.*.*.*'], options),
  ledger(STREAM.frames, ['hf.frame.*.*.*.*.*'], options),
  ledger(STREAM.output, ['hf.output.*.*.*'], options),
  leases(options),
];

/** Liveness is not an event: only the newest renewal of each node is kept. */
const leases = (options: TopologyOptions): StreamDeclaration => {
  const { config } = ledger(STREAM.leases, ['hf.lease.*.*'], options);
  return {
    name: STREAM.leases,
    config: {
      ...config,
      discard: DiscardPolicy.Old,
      max_msgs_per_subject: 1,
      deny_delete: false,
      deny_purge: false,
    },
  };
};

/** How a consumer redelivers; the times come from the table of windows. */
export interface ConsumerWindows {
  readonly ackWaitMs: number;
  readonly workingMs: number;
}

/** Source: the protocol. Bounds what all replicas of one consumer hold unfinished, and what one of them fetches ahead. */
export const ACK_PENDING_MAX = 256;
export const PREFETCH = 16;

/** A durable consumer as it is declared. */
export interface ConsumerDeclaration {
  readonly stream: StreamName;
  readonly durable: string;
  /** One subject with wildcards: old servers take no list. */
  readonly filter: string;
  readonly ackWaitMs: number;
}

/** Every commit of one kind of aggregate, in all workspaces. */
export const filterOfAggregate = (aggregate: string): string => `hf.ev.${aggregate}.*.*`;

/** The consumer that all replicas of one saga share. */
export const sagaConsumer = (
  durable: string,
  aggregate: string,
  windows: ConsumerWindows,
): ConsumerDeclaration => ({
  stream: STREAM.events,
  durable,
  filter: filterOfAggregate(aggregate),
  ackWaitMs: windows.ackWaitMs,
});

/** The consumer through which one node takes its frames. */
export const frameConsumer = (
  workspace: string,
  node: string,
  windows: ConsumerWindows,
): ConsumerDeclaration => ({
  stream: STREAM.frames,
  durable: frameConsumerName(workspace, node),
  filter: `hf.frame.${workspace}.${node}.*.*.*`,
  ackWaitMs: windows.ackWaitMs,
});
