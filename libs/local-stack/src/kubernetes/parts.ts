import type {
  Container,
  EnvVar,
  PodSpec,
  Probe,
  ResourceRequirements,
  Volume,
} from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';

/** Where all of it lives. */
export const NAMESPACE = 'holdfast';

/** One secret holds every password, under the names that `deploy/make-secrets.mjs` gives them. Pods get those that they use. */
export const PASSWORDS = 'holdfast-passwords';

/** Another one holds the key of the installation and the first tokens, as files. */
export const KEYS = 'holdfast-keys';

/** The user and group of the image, who own their volumes. */
export const IMAGE_USER = 1000;

/** The label by which the parts are told apart. */
export const NAME_LABEL = 'app.kubernetes.io/name';

export const labelsOf = (name: string): Record<string, string> => ({
  [NAME_LABEL]: name,
  'app.kubernetes.io/part-of': 'holdfast',
});

export const metadataOf = (name: string): ObjectMeta => ({
  name,
  namespace: NAMESPACE,
  labels: labelsOf(name),
});

/** A variable whose value is a password. */
export const passwordEnv = (name: string): EnvVar => ({
  name,
  valueFrom: { secretKeyRef: { name: PASSWORDS, key: name } },
});

/** In the order given: Kubernetes fills `$(NAME)` in from what stands before it. */
export const plainEnv = (variables: Readonly<Record<string, string>>): EnvVar[] =>
  Object.entries(variables).map(([name, value]) => ({ name, value }));

/** May do nothing beyond what its program does as an ordinary user. */
export const CONFINED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
} satisfies Container['securityContext'];

/** A pod of ours: an ordinary user, without a token for the cluster's own interface. */
export const podOf = (
  user: number,
  containers: Container[],
  volumes: Volume[],
): PodSpec & { containers: Container[]; volumes: Volume[] } => ({
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers,
  volumes,
});

/** Copies on different machines: `apart` refuses to start two on one, `spread` only prefers not to. */
export const onMachines = (
  name: string,
  how: 'apart' | 'spread',
): Pick<PodSpec, 'topologySpreadConstraints'> => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: how === 'apart' ? 'DoNotSchedule' : 'ScheduleAnyway',
      labelSelector: { matchLabels: { [NAME_LABEL]: name } },
    },
  ],
});

/** A look over HTTP, every `periodSeconds`; wrong `failureThreshold` times in a row counts. */
export const look = (
  path: string,
  port: string,
  periodSeconds: number,
  failureThreshold: number,
): Probe => ({
  httpGet: { path, port },
  periodSeconds,
  failureThreshold,
  timeoutSeconds: 3,
});

/** @param memory the limit, and what is set aside: a pod is not ended for memory that it was promised. */
export const resourcesOf = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { memory },
});
