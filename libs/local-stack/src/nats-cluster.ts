import { join } from 'node:path';
import { isAtLeast, natsServerBinary, type NatsServerBinary } from './nats-binary.js';
import { natsRoute, type NatsUser } from './nats-config.js';
import { prepareNats, type PreparedNats } from './nats-server.js';
import { freePort } from './ports.js';
import { makePrivateFolder } from './private-files.js';
import { clusterSecrets } from './stack-secrets.js';

/** How to run a cluster on this machine. */
export interface NatsClusterOptions {
  /** Holds what the cluster is called, and a folder for each server. */
  readonly folder: string;
  /** How many servers. */
  readonly size: number;
  readonly users: readonly NatsUser[];
  /** Default: `false`. */
  readonly syncAlways?: boolean;
  /** Default: of the newest series that Holdfast is tried on. */
  readonly binary?: NatsServerBinary;
}

/** The first version whose clusters never accept two appends that exclude each other. */
const CLUSTERS = [2, 11] as const;

/** `nats-server-2`: the second server's process, its folder and its log. */
export const memberName = (at: number): string => `nats-server-${at + 1}`;

/**
 * Writes the configurations of a cluster's servers and says how to run each. Servers keep their names over restarts of the
 * whole: a cluster that met one under another name would wait for the old one for ever.
 *
 * Unless told otherwise they leave syncing to the background: what one acknowledges is written by two of three, and survives the end of any one.
 *
 * @throws Error when there is no nats-server to be had, or only one that is too old for a cluster.
 */
export const prepareNatsCluster = async (
  options: NatsClusterOptions,
): Promise<readonly PreparedNats[]> => {
  const { folder, size, users, syncAlways = false } = options;
  const binary = options.binary ?? (await natsServerBinary({ series: '2.15' }));
  if (!isAtLeast(binary.version, CLUSTERS))
    throw new Error(
      `nats-server ${binary.version} is too old for a cluster, which needs ${CLUSTERS.join('.')} or newer. ` +
        'Name another one with HOLDFAST_NATS_SERVER, or leave that unset.',
    );
  await makePrivateFolder(folder);
  const { id, password } = await clusterSecrets(folder);
  const login = { name: 'route', password };
  const addresses: string[] = [];
  for (let at = 0; at < size; at += 1) addresses.push(`127.0.0.1:${await freePort()}`);
  const routes = addresses.map((address) => natsRoute(login, address));
  return Promise.all(
    addresses.map(async (listen, at) => {
      const processName = memberName(at);
      return prepareNats({
        folder: join(folder, processName),
        binary,
        users,
        syncAlways,
        member: {
          processName,
          serverName: `holdfast-${id}-${at + 1}`,
          cluster: { name: `holdfast-${id}`, listen, login, routes },
        },
      });
    }),
  );
};
