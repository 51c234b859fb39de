import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NatsServer, natsServerBinary, type NatsSeries, type NatsUser } from '#local-stack';

/** Every series that the adapters are tried on. */
export const NATS_SERIES = ['2.9', '2.10', '2.15'] as const satisfies readonly NatsSeries[];

/** A real nats-server of a test's own, and the way to end it. */
export interface NatsServerUnderTest {
  readonly server: NatsServer;
  /** `nats://127.0.0.1:port`, without a user. */
  readonly url: string;
  /** Holds the configuration and the store. */
  readonly folder: string;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a real nats-server on a free port, with an empty store in a temporary folder.
 *
 * It does not sync each write, which would only slow tests down: none of them cuts the power.
 */
export const natsServerUnderTest = async (
  options: { readonly series?: NatsSeries; readonly users?: readonly NatsUser[] } = {},
): Promise<NatsServerUnderTest> => {
  const binary = await natsServerBinary(options.series ? { series: options.series } : {});
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-nats-'));
  const server = await NatsServer.start({
    folder,
    binary,
    syncAlways: false,
    ...(options.users ? { users: options.users } : {}),
  });
  return {
    server,
    url: server.url,
    folder,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
