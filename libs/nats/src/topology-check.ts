import {
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { NatsLink } from './connection.js';
import { patiently, sleep } from './patience.js';
import { declaredStreams, type StreamDeclaration, type TopologyOptions } from './topology.js';

/** What an acknowledged append survives. */
export type Durability = 'synced' | 'process-death-only' | 'replicated';

export interface TopologyCheckOptions extends TopologyOptions {
  /** `create` also makes the streams that are missing; `check` refuses when one is. */
  readonly mode: 'create' | 'check';
  /**
   * What whoever wrote the server's configuration declares of its `sync_interval`. A client can't ask the server.
   * `always`: each write is on disk before it is acknowledged.
   */
  readonly declaredSync?: 'always';
  /** Runs a cluster on a server older than 2.11, whose compare-and-set is known to fail there. */
  readonly allowOldCluster?: boolean;
  /** How long is waited for a server that is starting, a cluster without a leader, or streams that others make. Default 15,000 ms. */
  readonly patienceMs?: number;
}

/** The topology as it was found. */
export interface Topology {
  readonly durability: Durability;
  /** Whether `durability` was declared by the configuration, or follows from what the server says. */
  readonly durabilitySource: 'declared' | 'observed';
  readonly serverVersion: string;
  readonly replicas: number;
  /** What works, but not as well as it could. For the log. */
  readonly warnings: readonly string[];
}

/** One setting that differs from what is declared. */
export interface TopologyDifference {
  readonly field: string;
  readonly declared: unknown;
  readonly found: unknown;
  readonly remedy: string;
}

/** The broker's live configuration breaks a guarantee. The process must not serve. */
export class TopologyMismatch extends Error {
  override readonly name = 'TopologyMismatch';
  readonly code = 'nats.topology_mismatch';
  constructor(readonly differences: readonly [TopologyDifference, ...TopologyDifference[]]) {
    super(
      differences
        .map(
          ({ field, declared, found, remedy }) =>
            `${field} is ${JSON.stringify(found) ?? 'absent'}, declared is ${JSON.stringify(declared)}: ${remedy}`,
        )
        .join('; '),
    );
  }
}

/**
 * Compares every stream with its declaration.
 *
 * @throws TopologyMismatch with every difference that breaks a guarantee.
 */
export const assertTopology = async (
  link: NatsLink,
  options: TopologyCheckOptions,
): Promise<Topology> => {
  const warnings = checkVersion(link, options);
  const manager = await jetstreamManager(link.connection, { checkAPI: false, timeout: 5_000 });
  const differences: TopologyDifference[] = [];
  for (const declaration of declaredStreams(options)) {
    const found = await findPatiently(link, manager, declaration, options);
    differences.push(...(found ? compare(declaration, found) : [absent(declaration)]));
    if (found && !found.allow_direct)
      warnings.push(
        `${declaration.name} has no direct reads: set allow_direct, reads ask the leader`,
      );
  }
  const [first, ...others] = differences;
  if (first) throw new TopologyMismatch([first, ...others]);
  return {
    ...durabilityOf(options),
    serverVersion: link.serverVersion,
    replicas: options.replicas,
    warnings,
  };
};

/** What is in force. A cluster of three survives the power loss of one machine; a single server only if it syncs. */
export const durabilityOf = (
  options: Pick<TopologyCheckOptions, 'replicas' | 'declaredSync'>,
): Pick<Topology, 'durability' | 'durabilitySource'> => {
  if (options.declaredSync === 'always')
    return { durability: 'synced', durabilitySource: 'declared' };
  if (options.replicas >= 3) return { durability: 'replicated', durabilitySource: 'observed' };
  return { durability: 'process-death-only', durabilitySource: 'observed' };
};

const checkVersion = (link: NatsLink, options: TopologyCheckOptions): string[] => {
  const found = link.serverVersion;
  const isClustered = link.isClustered || options.replicas > 1;
  if (isOlder(found, [2, 9]))
    throw new TopologyMismatch([
      {
        field: 'server.version',
        declared: '>= 2.9',
        found,
        remedy: 'run nats-server 2.9 or newer',
      },
    ]);
  if (isClustered && isOlder(found, [2, 11]) && options.allowOldCluster !== true)
    throw new TopologyMismatch([
      {
        field: 'server.version',
        declared: '>= 2.11 in a cluster',
        found,
        remedy:
          'run nats-server 2.11 or newer: older clusters can accept two appends that exclude each other',
      },
    ]);
  if (!isOlder(found, [2, 10])) return [];
  return [
    `nats-server ${found} can't sync every write (sync_interval came with 2.10): power loss may lose appends`,
  ];
};

const isOlder = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [foundMajor = 0, foundMinor = 0] = version.split('.').map(Number);
  return foundMajor < major || (foundMajor === major && foundMinor < minor);
};

const findOrCreate = async (
  manager: JetStreamManager,
  { name, config }: StreamDeclaration,
  mode: 'create' | 'check',
): Promise<StreamConfig | undefined> => {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== STREAM_NOT_FOUND) throw error;
  }
  if (mode === 'check') return undefined;
  try {
    return (await manager.streams.add(config)).config;
  } catch (error) {
    // Another process made it meanwhile, in its own way: compare with what it made.
    if (error instanceof JetStreamApiError && error.code === STREAM_NAME_IN_USE)
      return (await manager.streams.info(name)).config;
    throw error;
  }
};

/** Processes start in any order: the one that may make the streams may not have done so yet. */
const findPatiently = async (
  link: NatsLink,
  manager: JetStreamManager,
  declaration: StreamDeclaration,
  { mode, patienceMs = 15_000 }: TopologyCheckOptions,
): Promise<StreamConfig | undefined> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await patiently(link, deadline - performance.now(), () =>
      findOrCreate(manager, declaration, mode),
    );
    if (found || performance.now() + LOOK_AGAIN_MS > deadline) return found;
    await sleep(LOOK_AGAIN_MS);
  }
};

const LOOK_AGAIN_MS = 100;
const STREAM_NOT_FOUND = 10059;
const STREAM_NAME_IN_USE = 10058;

const absent = ({ name, config }: StreamDeclaration): TopologyDifference => ({
  field: name,
  declared: config.subjects,
  found: undefined,
  remedy: 'start the stack once with the right to create streams',
});

/** The fields that guarantees rest on, and why. A newer server adds fields of its own: those that are off don't count. */
const GUARDED: readonly { readonly field: keyof StreamConfig; readonly remedy: string }[] = [
  { field: 'subjects', remedy: 'each commit must be stored once, under its own subject' },
  {
    field: 'storage',
    remedy: 'recreate it with file storage: a restart of the broker would empty it',
  },
  {
    field: 'retention',
    remedy: 'recreate it with limits retention: acknowledged messages must stay',
  },
  { field: 'discard', remedy: 'a full stream must refuse, not forget' },
  { field: 'max_msgs', remedy: 'remove the limit' },
  { field: 'max_bytes', remedy: 'remove the limit' },
  { field: 'max_age', remedy: 'remove the limit' },
  { field: 'max_msgs_per_subject', remedy: 'restore the declared limit' },
  {
    field: 'deny_delete',
    remedy: 'recreate it with deny_delete: a deleted commit lets its number be expected again',
  },
  {
    field: 'deny_purge',
    remedy: 'recreate it with deny_purge: a purged subject lets 0 be expected again',
  },
  { field: 'allow_rollup_hdrs', remedy: 'switch rollups off: one message could erase a subject' },
  { field: 'no_ack', remedy: 'switch acknowledgements on: nothing is accepted without one' },
  { field: 'sealed', remedy: 'a sealed stream takes no appends' },
  { field: 'mirror', remedy: 'a mirror takes no appends' },
  { field: 'sources', remedy: 'messages of other streams have no place in this one' },
  { field: 'subject_transform', remedy: 'subjects must be stored as published' },
  { field: 'allow_msg_ttl', remedy: 'messages must not expire' },
  { field: 'persist_mode', remedy: 'asynchronous persistence overrides the sync of every write' },
];

const MESSAGE_SIZE_REMEDY = 'raise the limit: the largest commit must fit';
const REPLICAS_REMEDY = 'scale the stream to the declared number of replicas';

const compare = (
  { name, config }: StreamDeclaration,
  found: StreamConfig,
): TopologyDifference[] => {
  const differences = GUARDED.filter(({ field }) => !isSame(config[field], found[field])).map(
    ({ field, remedy }) => ({
      field: `${name}.${field}`,
      declared: config[field],
      found: found[field],
      remedy,
    }),
  );
  const fitsMessages = found.max_msg_size === -1 || found.max_msg_size >= config.max_msg_size;
  if (!fitsMessages)
    differences.push({
      field: `${name}.max_msg_size`,
      declared: config.max_msg_size,
      found: found.max_msg_size,
      remedy: MESSAGE_SIZE_REMEDY,
    });
  if (found.num_replicas < config.num_replicas)
    differences.push({
      field: `${name}.num_replicas`,
      declared: config.num_replicas,
      found: found.num_replicas,
      remedy: REPLICAS_REMEDY,
    });
  return differences;
};

/** Old servers leave out what is off, new ones say it in their own words. */
const isSame = (declared: unknown, found: unknown): boolean =>
  JSON.stringify(withoutDefault(declared)) === JSON.stringify(withoutDefault(found));

const withoutDefault = (value: unknown): unknown => {
  if (value === false || value === null || value === '' || value === 'default') return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  return value;
};
