import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from 'kubernetes-types/networking/v1.js';
import { SERVICES } from '../service-table.js';
import { MIGRATE, METRICS_PORT } from './services.js';
import { NAME_LABEL, metadataOf } from './parts.js';

const from = (...names: string[]): NetworkPolicyPeer[] => [
  { podSelector: { matchExpressions: [{ key: NAME_LABEL, operator: 'In', values: names }] } },
];
const on = (port: number, protocol = 'TCP'): NetworkPolicyPort[] => [{ port, protocol }];

const services = SERVICES.map(({ name }) => name as string);
const databaseUsers = [
  ...SERVICES.filter(({ database }) => database).map(({ name }) => name as string),
  MIGRATE,
];

const policy = (name: string, spec: NetworkPolicySpec): NetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(name),
  spec,
});

const only = (...names: string[]) => ({
  matchExpressions: [{ key: NAME_LABEL, operator: 'In', values: names }],
});

/** Who may reach whom; everything else is refused. */
export const networkPolicies = (): readonly NetworkPolicy[] => [
  policy('nobody', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
  policy('names', {
    podSelector: {},
    policyTypes: ['Egress'],
    egress: [{ ports: [...on(53, 'UDP'), ...on(53)] }],
  }),
  policy('nats', {
    podSelector: only('nats'),
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { from: from(...services), ports: on(4222) },
      { from: from('nats'), ports: on(6222) },
    ],
    egress: [{ to: from('nats'), ports: on(6222) }],
  }),
  policy('postgres', {
    podSelector: only('postgres'),
    policyTypes: ['Ingress'],
    ingress: [{ from: from(...databaseUsers), ports: on(5432) }],
  }),
  policy('to-nats', {
    podSelector: only(...services),
    policyTypes: ['Egress'],
    egress: [{ to: from('nats'), ports: on(4222) }],
  }),
  policy('to-postgres', {
    podSelector: only(...databaseUsers),
    policyTypes: ['Egress'],
    egress: [{ to: from('postgres'), ports: on(5432) }],
  }),
  // From any namespace: what stands in front of the gateway, with TLS, is the installation's own.
  policy('callers', {
    podSelector: only('gateway'),
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ namespaceSelector: {} }], ports: on(7420) }],
  }),
  policy('metrics', {
    podSelector: only(...services),
    policyTypes: ['Ingress'],
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { 'holdfast.metrics': 'read' } } }],
        ports: on(METRICS_PORT),
      },
    ],
  }),
];
