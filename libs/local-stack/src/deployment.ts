import {
  NATS_SERVICES,
  NODE_CROSSINGS,
  natsLoginOf,
  natsUserOf,
  type NatsPrincipal,
} from '../../nats/src/permissions.js';
import { natsConfigText, type NatsLogin } from './nats-config.js';
import { NATS_ADMIN } from './stores.js';

/** The node that `deploy/` runs beside the services. Further ones are deployed on their own machines. */
export const DEPLOYED_NODE = { node: 'node-1', workspace: 'main' } as const;

/** Who connects to a deployed broker. */
const PRINCIPALS: readonly NatsPrincipal[] = [...NATS_SERVICES, DEPLOYED_NODE];

/** `HOLDFAST_NATS_PASSWORD_COMMANDS`: the environment variable that holds a user's password. */
export const passwordVariableOf = (user: string): string =>
  `HOLDFAST_NATS_PASSWORD_${user.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;

/** The passwords that a deployment needs, by environment variable: one per user of the broker, and the database's. */
export const DEPLOYMENT_PASSWORDS: readonly string[] = [
  ...[NATS_ADMIN, ...PRINCIPALS.map(natsUserOf)].map(passwordVariableOf),
  'HOLDFAST_POSTGRES_PASSWORD',
];

/** What `deploy/nats.conf` has to say: the same users and rights as the local stack's broker. */
export const deployedNatsConfig = (): string => {
  const login = (name: string): NatsLogin => ({
    name,
    password: { variable: passwordVariableOf(name) },
  });
  const text = natsConfigText({
    serverName: 'holdfast',
    host: '0.0.0.0',
    port: 4222,
    monitor: '127.0.0.1:8222',
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
