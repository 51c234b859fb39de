import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RunningProcess, type ProcessSpec } from './child-process.js';
import { isAtLeast, natsServerBinary, type NatsServerBinary } from './nats-binary.js';
import { NODE_CROSSINGS } from '../../nats/src/permissions.js';
import { natsConfigText, type NatsCluster, type NatsUser } from './nats-config.js';
import { writePrivateFile } from './private-files.js';
import { firstAnswer, freePort } from './ports.js';

/**
 * What an acknowledged write survives. `synced`: power loss, since it is on disk first.
 * `background-sync`: the death of the server, but not of the machine.
 */
export type NatsDurability = 'synced' | 'background-sync';

/** How to run a nats-server. */
export interface NatsServerOptions {
  /** Holds the configuration (mode 600), the store and the log. Made when absent. */
  readonly folder: string;
  readonly binary?: NatsServerBinary;
  /** Absent: a random free one, kept across restarts. */
  readonly port?: number;
  /** None: anybody may connect. */
  readonly users?: readonly NatsUser[];
  /** `false` trades durability for speed in tests. Default: sync each write when the server can. */
  readonly syncAlways?: boolean;
  /** Absent: a server by itself. */
  readonly member?: NatsMember;
}

/** A server's part in a cluster. */
export interface NatsMember {
  readonly processName: string;
  /** What the others know it by: the same after every start. */
  readonly serverName: string;
  readonly cluster: NatsCluster;
}

/** A nats-server that is configured and ready to be run. */
export interface PreparedNats {
  readonly spec: ProcessSpec;
  readonly port: number;
  readonly version: string;
  readonly durability: NatsDurability;
}

/** The first version that can sync each write. */
const SYNCS = [2, 10] as const;

/** Source: 20 to 85 ms measured with 20,000 messages; large stores take longer to recover. */
const READY_MAX_MS = 30_000;

/**
 * Writes the configuration of a nats-server and says how to run it.
 *
 * @throws Error when there is no nats-server to be had.
 */
export const prepareNats = async (options: NatsServerOptions): Promise<PreparedNats> => {
  const binary = options.binary ?? (await natsServerBinary());
  const port = options.port ?? (await freePort());
  const syncAlways = (options.syncAlways ?? true) && isAtLeast(binary.version, SYNCS);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const configFile = join(options.folder, 'nats.conf');
  const { member } = options;
  const serverName = member?.serverName ?? `holdfast-${randomBytes(4).toString('hex')}`;
  await writePrivateFile(
    configFile,
    natsConfigText({
      serverName,
      host: '127.0.0.1',
      port,
      storeFolder: join(options.folder, 'store'),
      syncAlways,
      users: options.users ?? [],
      crossings: NODE_CROSSINGS,
      ...(member === undefined ? {} : { cluster: member.cluster }),
    }),
  );
  return {
    port,
    version: binary.version,
    durability: syncAlways ? 'synced' : 'background-sync',
    spec: {
      name: member?.processName ?? 'nats-server',
      command: binary.path,
      args: ['-c', configFile],
      env: {},
      cwd: options.folder,
      waitsFor: async () =>
        (await speaksJetStream(port, serverName)) ? undefined : 'its streams to be recovered',
    },
  };
};

/**
 * The greeting comes after the streams were recovered, and says whether JetStream is on. It is
 * asked for its name, too: somebody else may hold the port, and ours be about to fail.
 */
const speaksJetStream = async (port: number, serverName: string): Promise<boolean> => {
  const answer = await firstAnswer(port, undefined, (bytes) => bytes.includes('\r\n'));
  const greeting = answer?.toString('utf8');
  if (!greeting?.startsWith('INFO ')) return false;
  const info = JSON.parse(greeting.slice('INFO '.length)) as {
    readonly jetstream?: boolean;
    readonly server_name?: string;
  };
  return info.jetstream === true && info.server_name === serverName;
};

/**
 * One nats-server for tests: a real process with JetStream on loopback, that can be killed and
 * started again on the same port and store. Whoever starts one stops it.
 */
export class NatsServer {
  private constructor(
    private readonly prepared: PreparedNats,
    private readonly options: NatsServerOptions,
  ) {
    this.running = this.spawned();
  }

  private running: RunningProcess;

  /** @throws Error when it cannot be found, started, or does not become ready within 30 s. */
  static async start(options: NatsServerOptions): Promise<NatsServer> {
    const server = new NatsServer(await prepareNats(options), options);
    await server.ready();
    return server;
  }

  get port(): number {
    return this.prepared.port;
  }

  get version(): string {
    return this.prepared.version;
  }

  get durability(): NatsDurability {
    return this.prepared.durability;
  }

  get pid(): number {
    return this.running.identity.pid;
  }

  /** Without credentials: `nats://127.0.0.1:20123`. */
  get url(): string {
    return natsUrl(this.port);
  }

  /** @throws Error when no such user was configured. */
  urlFor(name: string): string {
    const user = this.options.users?.find((candidate) => candidate.name === name);
    if (user === undefined) throw new Error(`no NATS user is called ${name}`);
    return natsUrl(this.port, user);
  }

  /** Any signal, such as SIGSTOP and SIGCONT. Does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.running.signal(signal);
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.running.signal('SIGKILL');
    await this.running.exited;
  }

  /** Graceful; resolves when it is gone. Does nothing when it already is. */
  async stop(): Promise<void> {
    await this.running.stop();
  }

  /** Starts it again, after `kill` or `stop`, on the same port and store. */
  async restart(): Promise<void> {
    if (this.running.exit === undefined) await this.stop();
    this.running = this.spawned();
    await this.ready();
  }

  private async ready(): Promise<void> {
    try {
      await this.running.ready(READY_MAX_MS);
    } catch (cause) {
      await this.kill();
      throw cause;
    }
  }

  private spawned(): RunningProcess {
    return new RunningProcess(this.prepared.spec, join(this.options.folder, 'nats-server.log'));
  }
}

/** `nats://user:password@127.0.0.1:20123`. */
export const natsUrl = (
  port: number,
  user?: Pick<NatsUser, 'name' | 'password'>,
  host = '127.0.0.1',
): string => {
  const login =
    user === undefined
      ? ''
      : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
  return `nats://${login}${host}:${port}`;
};
