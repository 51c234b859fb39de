import { mkdir, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { natsUserOf, type NatsPrincipal } from '../../nats/src/permissions.js';
import {
  defaultNode,
  placeOfNode,
  processOfNode,
  writeNodeFile,
  type LocalNode,
} from './local-node.js';
import { freePort, isFree } from './ports.js';
import { postgresDataRoot } from './postgres-server.js';
import { repositoryRoot } from './repository-root.js';
import {
  migrateSpec,
  serviceSpec,
  type ServiceProcess,
  type StackSettings,
} from './service-spec.js';
import { SERVICES, WAVES, type ServiceEntry, type ServiceName } from './service-table.js';
import { stackSecrets, type StackSecrets } from './stack-secrets.js';
import { NATS_ADMIN, startStores, type StoreOptions, type Stores } from './stores.js';
import { startTogether } from './together.js';
import type { SupervisorEvent } from './supervised-process.js';
import { Supervisor } from './supervisor.js';

/** How to bring a stack up. */
export interface LocalStackOptions extends StoreOptions {
  /** Where it keeps everything; made when absent. One stack at a time. */
  readonly home: string;
  /** Loopback port of the gateway. Absent: a random free one. */
  readonly port?: number;
  /** Default: all of them. `none`: only NATS and Postgres. */
  readonly services?: 'all' | 'none' | readonly ServiceName[];
  /** Processes per service, where not one. The further ones are called `commands-2`, … */
  readonly replicas?: Partial<Record<Exclude<ServiceName, 'node-agent'>, number>>;
  /** Default: the node `local` with the sample agents, whose file may be edited between two starts. */
  readonly nodes?: readonly LocalNode[];
  /** Whose build is started; default: this checkout's. For tests of a build that was broken on purpose. */
  readonly checkout?: string;
  /** Copies of each stream; more than one needs a cluster. Default: as many as there are embedded brokers. */
  readonly streamReplicas?: number;
  /** Overrides in the table of windows, by name, ms. */
  readonly windows?: Readonly<Record<string, number>>;
  /** Default: `info`. */
  readonly logLevel?: string;
  readonly onEvent?: (event: SupervisorEvent) => void;
}

/** Source: a service is up after 1 to 3 s on 2 busy cores; ten times that and some. */
const SERVICE_READY_MAX_MS = 60_000;
const MIGRATE_MAX_MS = 120_000;

/** A stack that is up: real servers and services, each a process of its own, kept running until `stop`. */
export class LocalStack {
  constructor(
    readonly home: string,
    /** Loopback ports of the gateways. */
    private readonly ports: readonly [number, ...number[]],
    private readonly supervisor: Supervisor,
    private readonly stores: Stores,
    private readonly secrets: StackSecrets,
  ) {}

  /** Loopback port of the first gateway. */
  get port(): number {
    return this.ports[0];
  }

  /** Of the first gateway: `http://127.0.0.1:7420`. */
  get url(): string {
    return urlOf(this.port);
  }

  /** Of every gateway. */
  get urls(): readonly string[] {
    return this.ports.map(urlOf);
  }

  get operatorToken(): string {
    return this.secrets.operatorToken;
  }

  get agentToken(): string {
    return this.secrets.agentToken;
  }

  /** With its password. */
  get databaseUrl(): string {
    return this.stores.databaseUrl;
  }

  /**
   * With the credentials of one service, of a node, or of the administrator, who may do everything.
   *
   * @throws Error when the stack has no such user.
   */
  natsUrlFor(user: NatsPrincipal | typeof NATS_ADMIN): string {
    return this.stores.natsUrlOf(user === NATS_ADMIN ? NATS_ADMIN : natsUserOf(user));
  }

  /** The numbers of the processes that are up, by name: services, `nats-server` (`nats-server-1`, … of a cluster), `postgres`. */
  pids(): Readonly<Record<string, number>> {
    return this.supervisor.pids();
  }

  /** Sends a signal to a process. What dies is started again at once. */
  kill(name: string, signal: NodeJS.Signals): boolean {
    return this.supervisor.kill(name, signal);
  }

  /** Waits until a process, perhaps just started again, says that it is ready. */
  ready(name: string, withinMs = SERVICE_READY_MAX_MS): Promise<void> {
    return this.supervisor.ready(name, withinMs);
  }

  /** Ends one process, and leaves it down until `startAgain`. */
  stopOne(name: string): Promise<void> {
    return this.supervisor.stopOne(name);
  }

  startAgain(name: string): Promise<void> {
    return this.supervisor.startAgain(name, { readyMaxMs: SERVICE_READY_MAX_MS });
  }

  /** Ends every process in order; the state stays. Repeatable. */
  stop(): Promise<void> {
    return this.supervisor.close();
  }

  /** Ends at once what is still being stopped. */
  hasten(): void {
    this.supervisor.signalAll('SIGKILL');
  }

  /** Stops it, and removes all of its state. For tests. */
  async destroy(): Promise<void> {
    await this.stop();
    await removeLocalStack(this.home);
  }
}

/**
 * Removes all state of a stack that does not run, also what lies outside of its home, and ends what a
 * killed start left running there.
 *
 * @throws Error when it runs.
 */
export const removeLocalStack = async (home: string): Promise<void> => {
  const supervisor = await Supervisor.open(home);
  const dataRoot = await postgresDataRoot(join(await realpath(home), 'postgres'));
  await rm(dataRoot, { recursive: true, force: true });
  await supervisor.close();
  await rm(home, { recursive: true, force: true });
};

/**
 * Brings up real NATS and Postgres, brings the schema up to date, and starts the services, each when
 * those that it needs are ready.
 *
 * @throws Error in plain words, with the end of the log that explains it; whatever was started is stopped by then.
 */
export const startLocalStack = async (options: LocalStackOptions): Promise<LocalStack> => {
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  const home = await realpath(resolve(options.home));
  const port = options.port ?? (await freePort());
  const ports: [number, ...number[]] = [port];
  while (ports.length < (options.replicas?.gateway ?? 1)) ports.push(await freePort());
  const supervisor = await Supervisor.open(home, options.onEvent);
  try {
    if (!(await isFree(port))) {
      throw new Error(
        `Port ${port} is taken by another program. Stop that one, or choose another port: HOLDFAST_PORT.`,
      );
    }
    const nodes = options.nodes ?? [defaultNode(repositoryRoot())];
    const secrets = await stackSecrets(home);
    const stores = await startStores(supervisor, home, nodes, options);
    const settings: StackSettings = {
      checkout: options.checkout ?? repositoryRoot(),
      home,
      port,
      databaseUrl: stores.databaseUrl,
      synced: stores.synced,
      secretFile: secrets.secretFile,
      bootstrapFile: secrets.bootstrapFile,
      windows: options.windows === undefined ? undefined : JSON.stringify(options.windows),
      logLevel: options.logLevel ?? 'info',
      streamReplicas: options.streamReplicas ?? options.brokers ?? 1,
      environment: process.env,
    };
    await startServices(supervisor, settings, nodes, stores, ports, options);
    return new LocalStack(home, ports, supervisor, stores, secrets);
  } catch (cause) {
    await supervisor.close();
    throw cause;
  }
};

const startServices = async (
  supervisor: Supervisor,
  settings: StackSettings,
  nodes: readonly LocalNode[],
  stores: Stores,
  ports: readonly number[],
  options: LocalStackOptions,
): Promise<void> => {
  const { services = 'all', signal } = options;
  const wanted = SERVICES.filter(
    ({ name }) => services === 'all' || (services !== 'none' && services.includes(name)),
  );
  if (wanted.length === 0) return;
  const say = options.onProgress ?? (() => undefined);
  for (const node of nodes) {
    await writeNodeFile(placeOfNode(settings.home, node.id), node, options.nodes === undefined);
  }
  const migrating = async (giveUp: AbortSignal): Promise<void> => {
    await supervisor.runOnce(migrateSpec(settings), MIGRATE_MAX_MS, giveUp);
    say('database schema');
  };
  for (const wave of WAVES) {
    const processes = wanted
      .filter((entry) => entry.wave === wave)
      .flatMap((entry) => processesOf(entry, settings.home, nodes, stores, ports, options));
    const starts = processes.map((one) => async (giveUp: AbortSignal) => {
      const spec = serviceSpec(one, settings);
      await supervisor.start(spec, { readyMaxMs: SERVICE_READY_MAX_MS, signal: giveUp });
      say(one.name);
    });
    // The first wave needs no database.
    await startTogether(wave === 1 ? [migrating, ...starts] : starts, signal);
  }
};

const processesOf = (
  entry: ServiceEntry,
  home: string,
  nodes: readonly LocalNode[],
  stores: Stores,
  ports: readonly number[],
  options: LocalStackOptions,
): readonly ServiceProcess[] => {
  const { name } = entry;
  if (name === 'node-agent') {
    return nodes.map(({ id, workspace }) => ({
      entry,
      name: processOfNode(id),
      natsUrl: stores.natsUrlOf(natsUserOf({ node: id, workspace })),
      node: placeOfNode(home, id),
    }));
  }
  return Array.from({ length: options.replicas?.[name] ?? 1 }, (_, at) => ({
    entry,
    name: at === 0 ? name : `${name}-${at + 1}`,
    natsUrl: stores.natsUrlOf(natsUserOf(name)),
    ...(name === 'gateway' ? { port: ports[at] } : {}),
  }));
};

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
