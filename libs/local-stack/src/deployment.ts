import {
  NATS_SERVICES,
  NODE_CROSSINGS,
  natsLoginOf,
  natsUserOf,
  type NatsPrincipal,
} from '../../nats/src/permissions.js';
import {
  natsConfigText,
  type NatsCluster,
  type NatsConfig,
  type NatsLogin,
} from './nats-config.js';
import { NATS_ADMIN } from './stores.js';

/** The node that `deploy/` runs beside the services. Further ones are deployed on their own machines. */
export const DEPLOYED_NODE = { node: 'node-1', workspace: 'main' } as const;

/** Who connects to a deployed broker. */
const PRINCIPALS: readonly NatsPrincipal[] = [...NATS_SERVICES, DEPLOYED_NODE];

/** `HOLDFAST_NATS_PASSWORD_COMMANDS`: the environment variable that holds a user's password. */
export const passwordVariableOf = (user: string): string =>
  `HOLDFAST_NATS_PASSWORD_${user.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;

/** Three: a cluster of them goes on without one. */
export const CLUSTER_SIZE = 3;

/** With which the servers of a cluster know each other. No client has it. */
const ROUTES_USER = 'routes';

/** What each server of a cluster is told beside the passwords: its name, how the servers know each other, and where they are. */
export const CLUSTER_VARIABLES = {
  serverName: 'HOLDFAST_NATS_SERVER_NAME',
  routesPassword: passwordVariableOf(ROUTES_USER),
  routes: Array.from({ length: CLUSTER_SIZE }, (_, at) => `HOLDFAST_NATS_ROUTE_${at + 1}`),
} as const;

/** The passwords that a deployment needs, by environment variable: the broker's users', its routes', and the database's. */
export const DEPLOYMENT_PASSWORDS: readonly string[] = [
  ...[NATS_ADMIN, ...PRINCIPALS.map(natsUserOf)].map(passwordVariableOf),
  CLUSTER_VARIABLES.routesPassword,
  'HOLDFAST_POSTGRES_PASSWORD',
];

/** What `deploy/nats.conf` has to say: the same users and rights as the local stack's broker. */
export const deployedNatsConfig = (): string =>
  written({ serverName: 'holdfast', monitor: '127.0.0.1:8222' });

/**
 * What `deploy/nats-cluster.conf` has to say: the same, for each server of a cluster. Its health is asked from outside of
 * its own loopback, as probes of Kubernetes do.
 */
export const deployedClusterConfig = (): string => {
  const { serverName, routesPassword, routes } = CLUSTER_VARIABLES;
  const cluster: NatsCluster = {
    name: 'holdfast',
    listen: '0.0.0.0:6222',
    login: { name: ROUTES_USER, password: { variable: routesPassword } },
    routes: routes.map((variable) => ({ variable })),
  };
  return written({ serverName: { variable: serverName }, monitor: '0.0.0.0:8222', cluster });
};

const written = (of: Pick<NatsConfig, 'serverName' | 'monitor' | 'cluster'>): string => {
  const login = (name: string): NatsLogin => ({
    name,
    password: { variable: passwordVariableOf(name) },
  });
  const text = natsConfigText({
    ...of,
    host: '0.0.0.0',
    port: 4222,
    storeFolder: '/data',
    syncAlways: true,
    crossings: NODE_CROSSINGS,
    users: [
      login(NATS_ADMIN),
      ...PRINCIPALS.map((one) => ({ ...natsLoginOf(one), ...login(natsUserOf(one)) })),
    ],
  });
  return `# Written by: node deploy/write-nats-conf.mjs. A test compares it with the code's own tables.\n${text}`;
};
