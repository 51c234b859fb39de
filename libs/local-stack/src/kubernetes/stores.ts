import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type {
  ConfigMap,
  PersistentVolumeClaim,
  Probe,
  Service,
  ServicePort,
} from 'kubernetes-types/core/v1.js';
import { CLUSTER_SIZE, CLUSTER_VARIABLES, deployedClusterConfig } from '../deployment.js';
import {
  CONFINED,
  IMAGE_USER,
  labelsOf,
  look,
  metadataOf,
  onMachines,
  passwordEnv,
  plainEnv,
  podOf,
  resourcesOf,
} from './parts.js';

const NATS = 'nats';
const POSTGRES = 'postgres';

/** The user `postgres` of the official image. */
const POSTGRES_USER = 999;

/** A server of the broker's cluster, as clients and other servers reach it. */
export const natsHost = (at: number): string => `${NATS}-${at}.${NATS}`;

/** Without a login. */
export const NATS_ADDRESSES: readonly string[] = Array.from(
  { length: CLUSTER_SIZE },
  (_, at) => `${natsHost(at)}:4222`,
);

/** With its password, which the pod has in a variable of its own. */
export const DATABASE_URL = `postgres://holdfast:$(HOLDFAST_POSTGRES_PASSWORD)@${POSTGRES}:5432/holdfast`;

/** A volume that belongs to one pod, and is never given to two at a time. */
export const claimOf = (name: string, storage: string): PersistentVolumeClaim => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOncePod'], resources: { requests: { storage } } },
});

/** Names for single pods: a name of each one's own, known before it is ready, since the pods need each other to become so. */
export const headlessService = (name: string, ports: ServicePort[]): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(name),
  spec: {
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: labelsOf(name),
    ports,
  },
});

/** The broker's configuration, the same for all of its servers. */
export const natsConfig = (): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadataOf(NATS),
  data: { 'nats.conf': deployedClusterConfig() },
});

const PASSWORD = /\$(HOLDFAST_NATS_PASSWORD_[A-Z0-9_]+)/g;

/** The broker: three servers on three machines, each with a third copy of every stream. */
export const natsServers = (): StatefulSet => {
  const passwords = [...deployedClusterConfig().matchAll(PASSWORD)].map(([, name]) => name ?? '');
  const { serverName, routesPassword, routes } = CLUSTER_VARIABLES;
  const pod = podOf(
    IMAGE_USER,
    [
      {
        name: NATS,
        image: 'nats:2.15-alpine',
        args: ['-c', '/etc/nats/nats.conf'],
        env: [
          { name: serverName, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ...passwords.map(passwordEnv),
          ...plainEnv(
            Object.fromEntries(
              routes.map((name, at) => [
                name,
                `nats-route://routes:$(${routesPassword})@${natsHost(at)}:6222`,
              ]),
            ),
          ),
        ],
        ports: [
          { name: 'client', containerPort: 4222 },
          { name: 'route', containerPort: 6222 },
          { name: 'monitor', containerPort: 8222 },
        ],
        // A large store takes its time; ten minutes.
        startupProbe: look('/healthz?js-enabled-only=true', 'monitor', 5, 120),
        livenessProbe: look('/healthz?js-enabled-only=true', 'monitor', 10, 6),
        readinessProbe: look('/healthz?js-server-only=true', 'monitor', 5, 3),
        securityContext: CONFINED,
        resources: resourcesOf('500m', '1Gi'),
        volumeMounts: [
          { name: 'config', mountPath: '/etc/nats', readOnly: true },
          { name: 'data', mountPath: '/data' },
        ],
      },
    ],
    [{ name: 'config', configMap: { name: NATS } }],
  );
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(NATS),
    spec: {
      serviceName: NATS,
      replicas: CLUSTER_SIZE,
      podManagementPolicy: 'Parallel', // One alone never becomes ready.
      selector: { matchLabels: labelsOf(NATS) },
      template: {
        metadata: { labels: labelsOf(NATS) },
        spec: { ...onMachines(NATS, 'apart'), terminationGracePeriodSeconds: 60, ...pod },
      },
      volumeClaimTemplates: [claimOf('data', '20Gi')],
    },
  };
};

export const natsService = (): Service =>
  headlessService(NATS, [
    { name: 'client', port: 4222, targetPort: 'client' },
    { name: 'route', port: 6222, targetPort: 'route' },
  ]);

/** Two of three have to stay: an append needs both. */
export const natsBudget = (): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadataOf(NATS),
  spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(NATS) } },
});

const isReady: Probe = {
  exec: { command: ['pg_isready', '-U', 'holdfast', '-d', 'holdfast', '-h', '127.0.0.1'] },
  periodSeconds: 5,
  failureThreshold: 6,
  timeoutSeconds: 3,
};

/** The read models: one server and no copy, since all of it can be folded from the streams again. */
export const postgresServer = (): StatefulSet => {
  const folder = (name: string, mountPath: string) => ({ name, mountPath });
  const pod = podOf(
    POSTGRES_USER,
    [
      {
        name: POSTGRES,
        image: 'postgres:18',
        env: [
          { ...passwordEnv('HOLDFAST_POSTGRES_PASSWORD'), name: 'POSTGRES_PASSWORD' },
          ...plainEnv({
            POSTGRES_USER: 'holdfast',
            POSTGRES_DB: 'holdfast',
            POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C --auth-host=scram-sha-256',
          }),
        ],
        ports: [{ name: POSTGRES, containerPort: 5432 }],
        startupProbe: { ...isReady, failureThreshold: 120 },
        livenessProbe: isReady,
        readinessProbe: isReady,
        securityContext: CONFINED,
        resources: resourcesOf('500m', '1Gi'),
        volumeMounts: [
          folder('data', '/var/lib/postgresql'),
          folder('sockets', '/var/run/postgresql'),
          folder('temporary', '/tmp'),
          folder('shared-memory', '/dev/shm'),
        ],
      },
    ],
    [
      { name: 'sockets', emptyDir: {} },
      { name: 'temporary', emptyDir: {} },
      { name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '256Mi' } },
    ],
  );
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(POSTGRES),
    spec: {
      serviceName: POSTGRES,
      replicas: 1,
      selector: { matchLabels: labelsOf(POSTGRES) },
      template: {
        metadata: { labels: labelsOf(POSTGRES) },
        spec: { terminationGracePeriodSeconds: 60, ...pod },
      },
      volumeClaimTemplates: [claimOf('data', '20Gi')],
    },
  };
};

export const postgresService = (): Service =>
  headlessService(POSTGRES, [{ name: POSTGRES, port: 5432, targetPort: POSTGRES }]);
