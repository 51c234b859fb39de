import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import type { ProcessSpec } from './child-process.js';
import { readIfPresent } from './private-files.js';
import { entryOf, flagsOf, MIGRATE_ENTRY, type ServiceEntry } from './service-table.js';

/** What all services of one stack are told. */
export interface StackSettings {
  readonly checkout: string;
  readonly home: string;
  readonly databaseUrl: string;
  readonly secretFile: string;
  readonly bootstrapFile: string;
  /** Loopback port of the first gateway. */
  readonly port: number;
  /** The broker syncs every write. */
  readonly synced: boolean;
  /** Overrides in the table of windows, as JSON. */
  readonly windows: string | undefined;
  readonly logLevel: string;
  /** Copies of each stream. */
  readonly streamReplicas: number;
  /** What we were given ourselves; little of it is passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One process of a service. */
export interface ServiceProcess {
  readonly entry: ServiceEntry;
  /** The service's name, or another for a further replica or node. */
  readonly name: string;
  /** With this service's own credentials. */
  readonly natsUrl: string;
  /** Loopback port of its HTTP interface. Only for further gateways. */
  readonly port?: number | undefined;
  /** Only for node-agents. */
  readonly node?: { readonly file: string; readonly folder: string };
}

/** How long one look at readiness may take. Source: the probe itself answers within 0.9 s. */
const LOOK_MAX_MS = 1_000;

/** How much of what a service says about itself is passed on, in characters. Source: a handful of checks in a line each. */
const ACCOUNT_MAX = 1_000;

/** What programs need of their surroundings, and nothing that could be secret. */
const PLAIN_VARIABLES = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
] as const;

/** Where spans go, by OpenTelemetry's own variables: every service sends them itself. */
const OF_TRACING = /^OTEL_/;

/** How to run one process of a service. */
export const serviceSpec = (process_: ServiceProcess, settings: StackSettings): ProcessSpec => {
  const { entry, name, port = settings.port } = process_;
  const portFile = join(settings.home, 'run', `${name}.port`);
  const isGateway = entry.name === 'gateway';
  return {
    name,
    command: process.execPath,
    args: [...flagsOf(entry), join(settings.checkout, entryOf(entry.name))],
    env: serviceEnvironment(process_, settings),
    cwd: settings.checkout,
    ...(entry.niceness === undefined ? {} : { niceness: entry.niceness }),
    // The port of a killed predecessor may be anybody's by now.
    prepare: () => rm(portFile, { force: true }),
    waitsFor: async () => missingOn(isGateway ? port : await portIn(portFile)),
  };
};

/** The whole environment of one process of a service. */
export const serviceEnvironment = (
  { entry, name, natsUrl, port, node }: ServiceProcess,
  settings: StackSettings,
): Readonly<Record<string, string>> => ({
  ...surroundings(settings, entry.name === 'node-agent'),
  // Node.js 22 and newer keep there what they have compiled, and start sooner; older ones ignore it.
  NODE_COMPILE_CACHE: join(settings.home, 'compiled'),
  HOLDFAST_HOME: settings.home,
  HOLDFAST_PROCESS_NAME: name,
  HOLDFAST_METRICS_PORT: '0',
  HOLDFAST_REPLICAS: String(settings.streamReplicas),
  LOG_LEVEL: settings.logLevel,
  NATS_URL: natsUrl,
  ...(settings.synced ? { HOLDFAST_NATS_SYNC: 'always' } : {}),
  ...(settings.windows === undefined ? {} : { HOLDFAST_WINDOWS: settings.windows }),
  ...(entry.database ? { DATABASE_URL: settings.databaseUrl } : {}),
  ...(entry.name === 'commands'
    ? {
        HOLDFAST_SECRET_FILE: settings.secretFile,
        HOLDFAST_BOOTSTRAP_TOKENS: settings.bootstrapFile,
      }
    : {}),
  ...(entry.name === 'gateway' ? { HOLDFAST_PORT: String(port ?? settings.port) } : {}),
  ...(node === undefined
    ? {}
    : { HOLDFAST_NODE_CONFIG: node.file, HOLDFAST_NODE_DATA: node.folder }),
});

/** The one-shot process that brings the schema up to date. */
export const migrateSpec = (settings: StackSettings): ProcessSpec => ({
  name: 'migrate',
  command: process.execPath,
  args: [join(settings.checkout, MIGRATE_ENTRY)],
  env: {
    ...surroundings(settings, false),
    HOLDFAST_HOME: settings.home,
    DATABASE_URL: settings.databaseUrl,
    LOG_LEVEL: settings.logLevel,
  },
  cwd: settings.checkout,
});

/**
 * A node-agent gets what we have: the programs that it runs may need any of it, and its
 * configuration says which of it each one gets. What steers this stack itself is kept from it.
 */
const surroundings = (
  { environment }: StackSettings,
  all: boolean,
): Readonly<Record<string, string>> => {
  const entries = Object.entries(environment).filter(([name, value]) => {
    if (value === undefined) return false;
    if (!all) return OF_TRACING.test(name) || PLAIN_VARIABLES.some((plain) => plain === name);
    return !/^(HOLDFAST_|npm_)/.test(name) && !STEERS_US.has(name);
  });
  return Object.fromEntries(entries) as Record<string, string>;
};

const STEERS_US: ReadonlySet<string> = new Set(['NODE_OPTIONS', 'NATS_URL', 'DATABASE_URL']);

const portIn = async (file: string): Promise<number | undefined> => {
  const text = await readIfPresent(file);
  return text === undefined ? undefined : Number(text);
};

/** What a service still waits for, by its own account. */
const missingOn = async (port: number | undefined): Promise<string | undefined> => {
  if (port === undefined) return 'its start';
  const answer = await probe(port);
  if (answer === undefined) return 'an answer'; // Nobody listens yet, or it is too busy.
  return answer.status === 200 ? undefined : answer.text.trim().slice(0, ACCOUNT_MAX);
};

/** What a service says about its readiness; `undefined` when it does not answer in time. */
const probe = (
  port: number,
): Promise<{ readonly status: number | undefined; readonly text: string } | undefined> =>
  new Promise((resolve) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      path: '/readyz',
      agent: false, // A connection of its own, closed afterwards.
      timeout: LOOK_MAX_MS,
    });
    asked.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode, text }));
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(undefined));
    asked.once('close', () => resolve(undefined)); // After an answer this changes nothing.
    asked.end();
  });
