import { afterAll, beforeAll, describe, it, expect } from '@jest/globals';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { assertTopology, connectLink, declaredStreams, natsUserOf, type NatsLink } from '#nats';
import { waitUntil } from '#testing';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningProcess } from './child-process.js';
import {
  CLUSTER_SIZE,
  CLUSTER_VARIABLES,
  DEPLOYED_NODE,
  DEPLOYMENT_PASSWORDS,
  passwordVariableOf,
} from './deployment.js';
import { natsServerBinary } from './nats-binary.js';
import { natsRoute } from './nats-config.js';
import { freePort } from './ports.js';
import { writePrivateFile } from './private-files.js';
import { repositoryRoot } from './repository-root.js';

/** Source: a cluster is ready in 1.2 s when nothing else runs; a busy machine needs more. */
const UP_MAX_MS = 60_000;

const passwords: ReadonlyMap<string, string> = new Map(
  DEPLOYMENT_PASSWORDS.map((name) => [name, `pw${name}`.replaceAll('_', '')] as const),
);
const passwordOf = (user: string): string => passwords.get(passwordVariableOf(user)) ?? '';

/** One server of the cluster, whose file is the deployed one but for places that a test has no right to. */
interface Member {
  readonly client: number;
  readonly route: number;
  readonly monitor: number;
}

const textFor = (deployed: string, { client, route, monitor }: Member, store: string): string => {
  const places = [
    ['0.0.0.0:4222', `127.0.0.1:${client}`],
    ['0.0.0.0:6222', `127.0.0.1:${route}`],
    ['0.0.0.0:8222', `127.0.0.1:${monitor}`],
    ['"/data"', JSON.stringify(store)],
  ] as const;
  return places.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`the file names ${from} not once`);
    return text.replace(from, to);
  }, deployed);
};

describe('three nats-servers with deploy/nats-cluster.conf', () => {
  let folder: string;
  let members: readonly Member[];
  let servers: RunningProcess[] = [];
  let links: NatsLink[] = [];
  let manager: JetStreamManager;

  const linkAs = async (user: string): Promise<NatsLink> => {
    const urls = members.map(
      ({ client }) => `nats://${user}:${passwordOf(user)}@127.0.0.1:${client}`,
    );
    const link = await connectLink({ url: urls.join(','), name: user });
    links.push(link);
    return link;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-cluster-'));
    const deployed = await readFile(join(repositoryRoot(), 'deploy', 'nats-cluster.conf'), 'utf8');
    const { path } = await natsServerBinary({ series: '2.15' });
    const port = freePort;
    members = await Promise.all(
      Array.from({ length: CLUSTER_SIZE }, async () => ({
        client: await port(),
        route: await port(),
        monitor: await port(),
      })),
    );
    const routes = members.map(({ route }) =>
      natsRoute({ name: 'routes', password: passwordOf('routes') }, `127.0.0.1:${route}`),
    );
    for (const [at, member] of members.entries()) {
      const own = join(folder, String(at));
      await mkdir(own);
      const file = join(own, 'nats.conf');
      await writePrivateFile(file, textFor(deployed, member, join(own, 'data')));
      const env = Object.fromEntries([
        ...passwords,
        [CLUSTER_VARIABLES.serverName, `nats-${at}`],
        ...CLUSTER_VARIABLES.routes.map((name, route) => [name, routes[route] ?? '']),
      ]) as Record<string, string>;
      servers.push(
        new RunningProcess(
          { name: `nats-${at}`, command: path, args: ['-c', file], env, cwd: own },
          join(own, 'log'),
        ),
      );
    }
    await waitUntil(
      'a cluster whose servers are all healthy',
      async () => {
        const healthy = await Promise.all(
          members.map(({ monitor }) =>
            fetch(`http://127.0.0.1:${monitor}/healthz`).then(
              ({ ok }) => ok,
              () => false,
            ),
          ),
        );
        return healthy.every(Boolean);
      },
      UP_MAX_MS,
    );
    manager = await jetstreamManager((await linkAs('admin')).connection, { checkAPI: false });
  }, 120_000);

  afterAll(async () => {
    for (const link of links) await link.close();
    for (const server of servers) await server.stop();
    [links, servers] = [[], []];
    await rm(folder, { recursive: true, force: true });
  });

  it('keep three copies of each stream, which the service that may makes', async () => {
    const commands = await linkAs('commands');
    const found = await assertTopology(commands, {
      mode: 'create',
      replicas: CLUSTER_SIZE,
      patienceMs: UP_MAX_MS,
    });
    expect(found).toMatchObject({ durability: 'replicated', replicas: CLUSTER_SIZE });
    for (const { name } of declaredStreams({ replicas: CLUSTER_SIZE })) {
      const { cluster, config } = await manager.streams.info(name);
      const copies = [cluster?.leader, ...(cluster?.replicas ?? []).map((one) => one.name)];
      expect([name, config.num_replicas, copies.sort()]).toEqual([
        name,
        CLUSTER_SIZE,
        ['nats-0', 'nats-1', 'nats-2'],
      ]);
    }
  }, 90_000);

  it.each(['gateway', natsUserOf(DEPLOYED_NODE)])(
    'let %s do what it needs, and no more',
    async (user) => {
      const { connection } = await linkAs(user);
      const refused: string[] = [];
      void (async () => {
        for await (const status of connection.status())
          if (status.type === 'error') refused.push(status.error.message);
      })();
      connection.publish('hf.ev.main.run.r1', 'forged');
      await connection.flush();
      await waitUntil('its refusal', () =>
        refused.some((words) => words.includes('hf.ev.main.run.r1')),
      );
    },
  );

  it('refuse a client who knows no password, and one who comes with that of the routes', async () => {
    const [{ client } = { client: 0 }] = members;
    for (const user of ['commands:wrong', `routes:${passwordOf('routes')}`])
      await expect(
        connectLink({ url: `nats://${user}@127.0.0.1:${client}`, name: 'stranger' }),
      ).rejects.toThrow(/Authorization/i);
  }, 30_000);
});
