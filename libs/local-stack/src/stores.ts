import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  NATS_SERVICES,
  natsLoginOf,
  natsUserOf,
  type NatsPrincipal,
} from '../../nats/src/permissions.js';
import {
  loadTestcontainers,
  startNatsContainer,
  startPostgresContainer,
} from './container-stores.js';
import type { LocalNode } from './local-node.js';
import type { NatsUser } from './nats-config.js';
import type { ProcessSpec } from './child-process.js';
import { prepareNatsCluster } from './nats-cluster.js';
import { natsUrl, prepareNats, type PreparedNats } from './nats-server.js';
import { preparePostgres } from './postgres-server.js';
import { makePrivateFolder } from './private-files.js';
import { natsPasswords } from './stack-secrets.js';
import type { Supervisor } from './supervisor.js';
import { startTogether } from './together.js';

/** Servers of your own, and how to follow the start. */
export interface StoreOptions {
  /** A broker of your own, credentials included, for every service. Absent: an embedded nats-server. */
  readonly natsUrl?: string;
  /** How many embedded nats-servers: 1, or 3 for a cluster, of which any one may be lost. Default: 1. */
  readonly brokers?: 1 | 3;
  /** Your own broker syncs every write. An embedded one is asked itself. */
  readonly natsSynced?: boolean;
  /**
   * Whether an embedded broker syncs every write before it acknowledges it. Default: where the server can, and not in a
   * cluster. `false` gives the last moments before a power loss away for speed.
   */
  readonly syncWrites?: boolean;
  /** A Postgres of your own. Absent: an embedded one. */
  readonly databaseUrl?: string;
  /** What runs the stores whose addresses are not given. Default: `embedded`, processes of this machine. */
  readonly stores?: 'embedded' | 'containers';
  /** Gives up a start under way; what was started is stopped. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: string) => void;
}

/** Source: a Postgres that recovers a long log takes longest. */
const STORE_READY_MAX_MS = 60_000;

/** The broker's user who may do everything: for maintenance and for tests, no service has it. */
export const NATS_ADMIN = 'admin';

/** Where the stores are, and who may use them. */
export interface Stores {
  readonly databaseUrl: string;
  readonly synced: boolean;
  readonly natsUrlOf: (user: string) => string;
}

/**
 * Starts the embedded servers, both at a time, unless their addresses are given.
 *
 * @throws Error in plain words; what was started is the supervisor's to end.
 */
export const startStores = async (
  supervisor: Supervisor,
  home: string,
  nodes: readonly LocalNode[],
  options: StoreOptions,
): Promise<Stores> => {
  const say = options.onProgress ?? (() => undefined);
  const { natsUrl: givenBroker, databaseUrl: givenDatabase } = options;
  let broker = {
    natsUrlOf: (_user: string) => givenBroker ?? '',
    synced: options.natsSynced ?? false,
  };
  let databaseUrl = givenDatabase ?? '';
  const startBroker = async (signal: AbortSignal): Promise<void> => {
    const folder = join(home, 'nats');
    await makePrivateFolder(folder);
    const users = await usersOf(folder, nodes);
    const servers = await serversOf(folder, users, options);
    const start = (spec: ProcessSpec) => async (giveUp: AbortSignal) => {
      await supervisor.start(spec, { readyMaxMs: STORE_READY_MAX_MS, signal: giveUp });
    };
    await startTogether(
      servers.map(({ spec }) => start(spec)),
      signal,
    );
    const [{ version, durability }] = servers;
    say(
      servers.length === 1
        ? `nats-server ${version} (${wordsFor[durability]})`
        : `${servers.length} nats-servers ${version} (every write is on two of them before it is acknowledged)`,
    );
    broker = {
      natsUrlOf: natsUrlFor(
        users,
        servers.map(({ port }) => port),
      ),
      synced: durability === 'synced',
    };
  };
  const startDatabase = async (signal: AbortSignal): Promise<void> => {
    const prepared = await preparePostgres({ folder: join(home, 'postgres') });
    await supervisor.start(prepared.spec, { readyMaxMs: STORE_READY_MAX_MS, signal });
    say('Postgres');
    ({ databaseUrl } = prepared);
  };
  const containBroker = async (): Promise<void> => {
    const folder = join(home, 'nats');
    await makePrivateFolder(folder);
    const users = await usersOf(folder, nodes);
    const { host, port, stop } = await startNatsContainer(
      await loadTestcontainers(),
      folder,
      users,
    );
    supervisor.alsoEnds(stop);
    say('nats-server in a container (every write is synced to disk before it is acknowledged)');
    const urlOf = natsUrlFor(users, [port], host);
    broker = { natsUrlOf: urlOf, synced: true };
  };
  const containDatabase = async (): Promise<void> => {
    const container = await startPostgresContainer(
      await loadTestcontainers(),
      join(home, 'postgres-container'),
      () => randomBytes(24).toString('hex'),
    );
    supervisor.alsoEnds(container.stop);
    say('Postgres in a container');
    ({ databaseUrl } = container);
  };
  const contained = options.stores === 'containers';
  const wanted = [
    ...(givenBroker === undefined ? [contained ? containBroker : startBroker] : []),
    ...(givenDatabase === undefined ? [contained ? containDatabase : startDatabase] : []),
  ];
  await startTogether(wanted, options.signal);
  return { ...broker, databaseUrl };
};

const serversOf = async (
  folder: string,
  users: readonly NatsUser[],
  { brokers: size = 1, syncWrites }: StoreOptions,
): Promise<readonly [PreparedNats, ...PreparedNats[]]> => {
  const sync = syncWrites === undefined ? {} : { syncAlways: syncWrites };
  if (size === 1) return [await prepareNats({ folder, users, ...sync })];
  const [first, ...others] = await prepareNatsCluster({ folder, size, users, ...sync });
  if (first === undefined) throw new Error(`a cluster of ${size} has no servers`);
  return [first, ...others];
};

const natsUrlFor =
  (users: readonly NatsUser[], ports: readonly number[], host?: string) =>
  (name: string): string => {
    const user = users.find((candidate) => candidate.name === name);
    if (user === undefined) throw new Error(`no NATS user is called ${name}`);
    return ports.map((port) => natsUrl(port, user, host)).join(',');
  };

const wordsFor = {
  synced: 'every write is synced to disk before it is acknowledged',
  'background-sync':
    'writes are synced in the background: survives its own death, not a power loss',
} as const;

const usersOf = async (
  folder: string,
  nodes: readonly LocalNode[],
): Promise<readonly NatsUser[]> => {
  const principals: readonly NatsPrincipal[] = [
    ...NATS_SERVICES,
    ...nodes.map(({ id, workspace }) => ({ node: id, workspace })),
  ];
  const passwords = await natsPasswords(folder, [NATS_ADMIN, ...principals.map(natsUserOf)]);
  const login = (name: string) => ({ name, password: passwords.get(name) ?? '' });
  return [
    login(NATS_ADMIN),
    ...principals.map((one) => ({ ...natsLoginOf(one), ...login(natsUserOf(one)) })),
  ];
};
