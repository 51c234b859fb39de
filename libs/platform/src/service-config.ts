import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { tracingSettings, type TracingSettings } from '#tracing';
import type { EnvironmentReader } from './config.js';
import { LOG_LEVELS, type LogLevel } from './logging.js';
import { DEFAULT_WINDOWS, parseWindows, type Windows } from './windows.js';

/** What every service is told. */
export interface ServiceConfig {
  /** The service's name: its queue group and its user. */
  readonly service: string;
  /** Names its files under `home`: the service's name, unless several replicas share that home. */
  readonly processName: string;
  /** Tells replicas apart, in logs and as observers of leases. A subject's token. */
  readonly instance: string;
  /** Where the embedded stack keeps its state. */
  readonly home: string;
  readonly natsUrl: string;
  /** Port of `/livez`, `/readyz`, `/metrics`; 0 = any free one. It is written to `<home>/run/<processName>.port`. */
  readonly metricsPort: number;
  /** On which interface they are asked: loopback, unless probes come from outside of the process's own, as in Kubernetes. */
  readonly metricsHost: string;
  readonly logLevel: LogLevel;
  readonly windows: Windows;
  /** Copies of each stream: 1 locally, 3 in production. */
  readonly replicas: number;
  /** Whoever configured the broker says that it syncs every write. */
  readonly declaredSync: 'always' | undefined;
  readonly tracing: TracingSettings;
}

/** Reads what every service is told; a service adds its own. */
export const readServiceConfig = (reader: EnvironmentReader, service: string): ServiceConfig => ({
  service,
  instance: `${service}-${String(process.pid)}-${randomBytes(4).toString('hex')}`,
  processName: reader.text('HOLDFAST_PROCESS_NAME', service),
  home: reader.text('HOLDFAST_HOME', '.holdfast'),
  natsUrl: reader.text('NATS_URL'),
  metricsHost: reader.text('HOLDFAST_METRICS_HOST', '127.0.0.1'),
  metricsPort: reader.integer('HOLDFAST_METRICS_PORT', 0, [0, 65_535]),
  logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  windows: reader.parsed('HOLDFAST_WINDOWS', parseWindows, DEFAULT_WINDOWS),
  replicas: reader.integer('HOLDFAST_REPLICAS', 1, [1, 5]),
  declaredSync: reader.optional('HOLDFAST_NATS_SYNC') === 'always' ? 'always' : undefined,
  tracing: tracingSettings((name) => reader.optional(name)),
});

/** Where a process leaves its files: `<home>/run/<processName>.<kind>`. */
export const runFile = (
  { home, processName }: Pick<ServiceConfig, 'home' | 'processName'>,
  kind: 'port' | 'seen',
): string => join(home, 'run', `${processName}.${kind}`);
