import { randomBytes } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunningProcess, type ProcessSpec } from './child-process.js';
import { userForPostgres } from './os-user.js';
import { firstAnswer, freePort } from './ports.js';
import { postgresBinaries } from './postgres-binaries.js';
import * as cluster from './postgres-data.js';
import { keptSecret, makePrivateFolder, readIfPresent } from './private-files.js';

/** How to run a Postgres. */
export interface PostgresServerOptions {
  /** Holds the password (mode 600), the log and, unless we are root, the data. Made when absent. */
  readonly folder: string;
  /** Absent: a random free one, kept across restarts. */
  readonly port?: number;
}

/** A Postgres that is set up and ready to be run. */
export interface PreparedPostgres {
  readonly spec: ProcessSpec;
  readonly port: number;
  /** With its password: keep it out of logs. */
  readonly databaseUrl: string;
  /** Everything that lies outside of `folder`, or in it: thrown away by removing it. */
  readonly dataRoot: string;
}

/** Source: 33 ms warm, 205 ms with recovery; a long write-ahead log takes longer. */
const READY_MAX_MS = 60_000;

/** Source: seven services with pools of at most 5, the command line, and room to look inside. */
const CONNECTIONS_MAX = 60;

/**
 * Sets up a Postgres unless there is one, and says how to run it: on loopback only, with a password.
 * As root it runs as another user, with its data in `/var/lib/holdfast/<hash of the folder>`.
 *
 * @throws Error in plain words when it cannot be set up.
 */
export const preparePostgres = async (
  options: PostgresServerOptions,
): Promise<PreparedPostgres> => {
  await makePrivateFolder(options.folder);
  const runAs = await userForPostgres();
  const place = cluster.placeOf(await realpath(options.folder), runAs);
  const binaries = await postgresBinaries(runAs !== undefined);
  const password = await passwordOf(options.folder, place);
  if (!(await cluster.isSetUp(place))) await cluster.setUp(place, binaries, password);
  const port = options.port ?? (await freePort());
  const databaseUrl = `postgres://${cluster.ROLE}:${password}@127.0.0.1:${port}/${cluster.DATABASE}`;
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${CONNECTIONS_MAX}`,
    'shared_buffers=64MB',
    'jit=off', // Compiling costs more than any query here gains.
  ].flatMap((setting) => ['-c', setting]);
  return {
    port,
    databaseUrl,
    dataRoot: place.root,
    spec: {
      name: 'postgres',
      command: binaries.postgres,
      args: ['-D', place.data, '-p', String(port), ...settings],
      env: { ...cluster.POSTGRES_ENV },
      cwd: place.root,
      ...(runAs === undefined ? {} : { runAs }),
      stopSignal: 'SIGINT',
      prepare: () => cluster.clearDeadServersLock(place),
      waitsFor: async () => ((await acceptsLogins(port)) ? undefined : 'its recovery'),
    },
  };
};

/** Where the data of the Postgres in `folder`, a real path, lies: there, or, for root, outside of it. */
export const postgresDataRoot = async (folder: string): Promise<string> =>
  cluster.placeOf(folder, await userForPostgres()).root;

/**
 * The password is as old as the data. Data whose password is gone belonged to a home that somebody
 * removed; nothing can read it, and it held only what is folded from the event streams.
 */
const passwordOf = async (folder: string, place: cluster.PostgresPlace): Promise<string> => {
  const file = join(folder, 'password');
  if ((await readIfPresent(file)) === undefined) {
    await rm(place.data, { recursive: true, force: true });
  }
  return keptSecret(file, () => randomBytes(24).toString('hex'));
};

/**
 * Whether it would let somebody log in. Asked as a client begins: the answer is a request for the
 * password (`R`), or, while it starts and recovers, an error (`E`).
 */
const acceptsLogins = async (port: number): Promise<boolean> => {
  const answer = await firstAnswer(port, beginning(), (bytes) => bytes.length > 0);
  return answer?.toString('latin1', 0, 1) === 'R';
};

/** The first message of protocol version 3.0: length, version, pairs of texts, an empty text. */
const beginning = (): Buffer => {
  const pairs = ['user', cluster.ROLE, 'database', cluster.DATABASE];
  const texts = Buffer.from([...pairs, '', ''].join('\0'), 'latin1');
  const message = Buffer.alloc(8 + texts.length);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(3 << 16, 4);
  texts.copy(message, 8);
  return message;
};

/** One Postgres for tests: a real server that can be killed and started again. Whoever starts one destroys it. */
export class PostgresServer {
  private constructor(
    private readonly prepared: PreparedPostgres,
    private readonly folder: string,
  ) {}

  private running: RunningProcess | undefined;

  /** @throws Error when it cannot be set up or started, or does not become ready within 60 s. */
  static async start(options: PostgresServerOptions): Promise<PostgresServer> {
    const server = new PostgresServer(await preparePostgres(options), options.folder);
    await server.restart();
    return server;
  }

  /** Of the database `holdfast`, with its password. */
  get databaseUrl(): string {
    return this.prepared.databaseUrl;
  }

  /** @throws Error when it was never started. */
  get pid(): number {
    if (this.running === undefined) throw new Error('bug: Postgres was not started');
    return this.running.identity.pid;
  }

  /** Any signal, such as SIGSTOP and SIGCONT. Does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.running?.signal(signal);
  }

  /** SIGKILL to the main process, whose children follow; resolves when it is gone. */
  async kill(): Promise<void> {
    this.running?.signal('SIGKILL');
    await this.running?.exited;
  }

  /** Graceful; resolves when it is gone. Does nothing when it already is. */
  async stop(): Promise<void> {
    await this.running?.stop();
  }

  /** Starts it again, on the same port and data, and waits until it answers. */
  async restart(): Promise<void> {
    await this.stop();
    await this.prepared.spec.prepare?.();
    this.running = new RunningProcess(this.prepared.spec, join(this.folder, 'postgres.log'));
    try {
      await this.running.ready(READY_MAX_MS);
    } catch (cause) {
      await this.kill();
      throw cause;
    }
  }

  /** Stops it and throws its data away. */
  async destroy(): Promise<void> {
    await this.stop();
    await rm(this.prepared.dataRoot, { recursive: true, force: true });
  }
}
