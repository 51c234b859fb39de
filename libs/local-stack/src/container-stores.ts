import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NODE_CROSSINGS } from '../../nats/src/permissions.js';
import { natsConfigText, type NatsUser } from './nats-config.js';
import { makePrivateFolder, keptSecret } from './private-files.js';
import { repositoryRoot } from './repository-root.js';

/** The images of `deploy/compose.yaml`. */
export const STORE_IMAGES = { nats: 'nats:2.15-alpine', postgres: 'postgres:18' } as const;

/** The version that was tried; it is not installed with Holdfast. */
export const TESTCONTAINERS = 'testcontainers@11.14.0';

/** Source: an image that has to be fetched first takes longest. */
const START_MAX_MS = 300_000;

/** A store in a container, that ends when it is told to. */
export interface StoreContainer {
  readonly host: string;
  /** On this machine. */
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** What is used of the library, which is not there at compile time. */
export interface Testcontainers {
  readonly GenericContainer: new (image: string) => ContainerRequest;
  readonly Wait: { readonly forLogMessage: (message: RegExp, times?: number) => object };
}
interface ContainerRequest {
  withCommand(command: string[]): this;
  withEnvironment(variables: Record<string, string>): this;
  withExposedPorts(...ports: number[]): this;
  withCopyContentToContainer(files: { content: string; target: string; mode?: number }[]): this;
  withBindMounts(mounts: { source: string; target: string }[]): this;
  withUser(user: string): this;
  withWaitStrategy(strategy: object): this;
  withStartupTimeout(ms: number): this;
  start(): Promise<{
    getHost(): string;
    getMappedPort(port: number): number;
    stop(): Promise<unknown>;
  }>;
}

/**
 * The library, loaded only when somebody asks for containers.
 *
 * @throws Error in plain words, when it is not installed.
 */
export const loadTestcontainers = async (): Promise<Testcontainers> => {
  const [name] = TESTCONTAINERS.split('@') as [string];
  const { resolve } = createRequire(join(repositoryRoot(), 'package.json'));
  let path: string;
  try {
    path = resolve(name);
  } catch (cause) {
    throw new Error(
      `Stores in containers need a package that is not installed: npm install --no-save ${TESTCONTAINERS}`,
      { cause },
    );
  }
  const loaded = (await import(pathToFileURL(path).href)) as Testcontainers & {
    readonly default?: Testcontainers;
  };
  return loaded.default ?? loaded;
};

/**
 * The broker in a container. Its streams are kept in `<folder>/container`, and are there at the next start.
 *
 * @throws Error when no container engine answers, or the container does not start within five minutes.
 */
export const startNatsContainer = async (
  { GenericContainer, Wait }: Testcontainers,
  folder: string,
  users: readonly NatsUser[],
): Promise<StoreContainer> => {
  const kept = join(folder, 'container');
  await makePrivateFolder(kept);
  const text = natsConfigText({
    serverName: 'holdfast',
    host: '0.0.0.0',
    port: 4222,
    storeFolder: '/data',
    syncAlways: true,
    users,
    crossings: NODE_CROSSINGS,
  });
  const request = new GenericContainer(STORE_IMAGES.nats)
    .withCommand(['-c', '/etc/nats.conf'])
    .withCopyContentToContainer([{ content: text, target: '/etc/nats.conf', mode: 0o444 }])
    .withBindMounts([{ source: kept, target: '/data' }])
    .withUser(`${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
    // The library waits for every port that the image names when the engine is Podman; nothing listens on the others.
    .withExposedPorts(4222, 6222, 8222)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/));
  return started(request, 4222);
};

/**
 * The database in a container, empty at each start: its rows are folded from the streams again.
 *
 * @returns also how to connect, with the password.
 * @throws Error as {@link startNatsContainer} does.
 */
export const startPostgresContainer = async (
  { GenericContainer, Wait }: Testcontainers,
  folder: string,
  newPassword: () => string,
): Promise<StoreContainer & { readonly databaseUrl: string }> => {
  await makePrivateFolder(folder);
  const password = await keptSecret(join(folder, 'password'), newPassword);
  const request = new GenericContainer(STORE_IMAGES.postgres)
    .withEnvironment({
      POSTGRES_USER: 'holdfast',
      POSTGRES_DB: 'holdfast',
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C --auth-host=scram-sha-256',
    })
    .withExposedPorts(5432)
    // Once while the image makes the database, and once for good.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2));
  const container = await started(request, 5432);
  const databaseUrl = `postgres://holdfast:${password}@${container.host}:${container.port}/holdfast`;
  return { ...container, databaseUrl };
};

const started = async (request: ContainerRequest, port: number): Promise<StoreContainer> => {
  try {
    const container = await request.withStartupTimeout(START_MAX_MS).start();
    return {
      host: container.getHost(),
      port: container.getMappedPort(port),
      stop: async () => {
        await container.stop();
      },
    };
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `A store could not be started in a container: ${words}. Is Docker or Podman running, and does DOCKER_HOST name it? ` +
        'Without HOLDFAST_STORES=containers, the stores are processes of this machine.',
      { cause },
    );
  }
};
