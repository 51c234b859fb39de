import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { ConfigMap, Container, EnvVar, PodSpec, Service } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { natsUserOf } from '../../../nats/src/permissions.js';
import { CLUSTER_SIZE, DEPLOYED_NODE, passwordVariableOf } from '../deployment.js';
import { migrateSpec, serviceEnvironment, type StackSettings } from '../service-spec.js';
import { MIGRATE_ENTRY, SERVICES, entryOf, flagsOf, type ServiceEntry } from '../service-table.js';
import {
  CONFINED,
  IMAGE_USER,
  KEYS,
  labelsOf,
  look,
  metadataOf,
  onMachines,
  passwordEnv,
  plainEnv,
  podOf,
  resourcesOf,
} from './parts.js';
import { DATABASE_URL, NATS_ADDRESSES, claimOf, headlessService } from './stores.js';

/** Named by `kustomization.yaml`, which puts the installation's own in its place. */
const IMAGE = 'holdfast';
export const MIGRATE = 'migrate';
export const METRICS_PORT = 9464;
const GATEWAY_PORT = 7420;
const HOME = '/var/lib/holdfast';
/** Two of each: one takes over what the other leaves, or stands by for it. */
const COPIES = 2;
/** Services drain for at most 10 s. */
const GRACE_SECONDS = 15;

/** Remember how far the stream had come, and notice a broker that was restored to an earlier state. */
const REMEMBERS: readonly string[] = ['sagas', 'projector', 'reconciler'];

const settings: StackSettings = {
  checkout: '/app',
  home: HOME,
  databaseUrl: DATABASE_URL,
  secretFile: '/run/secrets/holdfast/secret.key',
  bootstrapFile: '/run/secrets/holdfast/bootstrap-tokens.json',
  port: GATEWAY_PORT,
  synced: true,
  windows: undefined,
  logLevel: 'info',
  streamReplicas: CLUSTER_SIZE,
  environment: {},
};

/** What the code tells this service, in the places of a pod. */
const environmentOf = (entry: ServiceEntry): EnvVar[] => {
  const isNode = entry.name === 'node-agent';
  const user = natsUserOf(entry.name === 'node-agent' ? DEPLOYED_NODE : entry.name);
  const variable = passwordVariableOf(user);
  const [first = '', ...others] = NATS_ADDRESSES;
  const natsUrl = [`${user}:$(${variable})@${first}`, ...others]
    .map((address) => `nats://${address}`)
    .join(',');
  const told = serviceEnvironment(
    {
      entry,
      name: entry.name,
      natsUrl,
      ...(isNode ? { node: { file: '/etc/holdfast/node.json', folder: `${HOME}/node` } } : {}),
    },
    settings,
  );
  return [
    passwordEnv(variable),
    ...(entry.database ? [passwordEnv('HOLDFAST_POSTGRES_PASSWORD')] : []),
    ...plainEnv({
      ...told,
      HOLDFAST_METRICS_PORT: String(METRICS_PORT),
      HOLDFAST_METRICS_HOST: '0.0.0.0', // Probes come from outside of the pod; a policy says who else may.
      ...(entry.name === 'gateway' ? { HOLDFAST_HOST: '0.0.0.0' } : {}),
    }),
  ];
};

const containerOf = (entry: ServiceEntry): Container => {
  const { name } = entry;
  const isGateway = name === 'gateway';
  const port = isGateway ? 'http' : 'metrics'; // The gateway answers callers and probes on one.
  return {
    name,
    image: IMAGE,
    args: [...flagsOf(entry), entryOf(name)],
    env: environmentOf(entry),
    ports: [{ name: port, containerPort: isGateway ? GATEWAY_PORT : METRICS_PORT }],
    startupProbe: look('/livez', port, 2, 30),
    livenessProbe: look('/livez', port, 10, 3),
    readinessProbe: look('/readyz', port, 5, 3),
    securityContext: CONFINED,
    resources: resourcesOf('100m', '512Mi'),
    volumeMounts: [
      { name: 'home', mountPath: HOME },
      { name: 'temporary', mountPath: '/tmp' },
      ...(name === 'commands'
        ? [{ name: 'keys', mountPath: '/run/secrets/holdfast', readOnly: true }]
        : []),
      ...(name === 'node-agent'
        ? [{ name: 'node', mountPath: '/etc/holdfast', readOnly: true }]
        : []),
    ],
  };
};

const podFor = (entry: ServiceEntry, keepsHome: boolean): PodSpec => ({
  ...(entry.name === 'node-agent' ? {} : onMachines(entry.name, 'spread')),
  terminationGracePeriodSeconds: GRACE_SECONDS,
  ...podOf(
    IMAGE_USER,
    [containerOf(entry)],
    [
      ...(keepsHome ? [] : [{ name: 'home', emptyDir: {} }]),
      { name: 'temporary', emptyDir: {} },
      ...(entry.name === 'commands'
        ? [{ name: 'keys', secret: { secretName: KEYS, defaultMode: 0o440 } }]
        : []),
      ...(entry.name === 'node-agent' ? [{ name: 'node', configMap: { name: 'node-1' } }] : []),
    ],
  ),
});

/** A service whose pods are alike, or, when it keeps something, have a volume each. */
export const workloadOf = (entry: ServiceEntry): Deployment | StatefulSet => {
  const { name } = entry;
  const isNode = name === 'node-agent';
  const keeps = isNode || REMEMBERS.includes(name);
  const shared = {
    replicas: isNode ? 1 : COPIES, // A node's journal belongs to one process.
    selector: { matchLabels: labelsOf(name) },
    template: { metadata: { labels: labelsOf(name) }, spec: podFor(entry, keeps) },
  };
  if (!keeps)
    return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadataOf(name), spec: shared };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(name),
    spec: {
      ...shared,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      volumeClaimTemplates: [claimOf('home', isNode ? '10Gi' : '1Gi')],
    },
  };
};

/** Of those with names for single pods, and of the gateway. */
export const serviceFor = ({ name }: ServiceEntry): readonly Service[] => {
  const metrics = { name: 'metrics', port: METRICS_PORT, targetPort: 'metrics' };
  if (name === 'node-agent' || REMEMBERS.includes(name)) return [headlessService(name, [metrics])];
  if (name !== 'gateway') return [];
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(name),
      spec: {
        selector: labelsOf(name),
        ports: [{ name: 'http', port: 80, targetPort: 'http' }],
      },
    },
  ];
};

/** One of the two stays while machines are emptied. */
export const budgetFor = ({ name }: ServiceEntry): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadataOf(name),
  spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } },
});

/** Whoever can be copied. */
export const COPIED = SERVICES.filter(({ name }) => name !== 'node-agent');

/** The node's file. Agents are added there. */
export const nodeConfig = (nodeJson: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadataOf('node-1'),
  data: { 'node.json': nodeJson },
});

/** Brings the schema up to date, once for each version; services wait for it. */
export const migrateJob = (): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metadataOf(MIGRATE),
  spec: {
    backoffLimit: 10,
    ttlSecondsAfterFinished: 600,
    template: {
      metadata: { labels: labelsOf(MIGRATE) },
      spec: {
        restartPolicy: 'OnFailure',
        ...podOf(
          IMAGE_USER,
          [
            {
              name: MIGRATE,
              image: IMAGE,
              args: [MIGRATE_ENTRY],
              env: [
                passwordEnv('HOLDFAST_POSTGRES_PASSWORD'),
                ...plainEnv(migrateSpec(settings).env),
              ],
              securityContext: CONFINED,
              resources: resourcesOf('100m', '512Mi'),
              volumeMounts: [
                { name: 'home', mountPath: HOME },
                { name: 'temporary', mountPath: '/tmp' },
              ],
            },
          ],
          [
            { name: 'home', emptyDir: {} },
            { name: 'temporary', emptyDir: {} },
          ],
        ),
      },
    },
  },
});
