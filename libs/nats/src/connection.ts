import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf } from './names.js';

export interface LinkOptions {
  /** `nats://user:password@host:port`; several, separated by commas, for a cluster (the first one's user counts). */
  readonly url: string;
  /** Shown in the broker's list of connections: the service's name. */
  readonly name: string;
  /** How long the first connection is tried for before {@link connectLink} gives up. Default 30,000 ms. */
  readonly connectWithinMs?: number;
  /** The pause between two attempts to reconnect. Default 100 ms, so that a restarted broker is found at once. */
  readonly reconnectWaitMs?: number;
}

/** How often a silent connection is probed; two lost answers end it: a server that hangs is left within a lease. Milliseconds. */
const PROBE_MS = 2_000;
/**
 * How long one attempt to connect may take, login included. Milliseconds. A server that hangs accepts connections and says
 * nothing: after this the next one is tried. Source: the client's own 20 s are longer than an outage should be.
 */
const ATTEMPT_MAX_MS = 5_000;

/**
 * One connection to the broker, for the life of a process: it reconnects for ever.
 *
 * Only code in this library sees the client library behind it.
 */
export class NatsLink {
  private readonly lost = new Set<() => void>();
  private readonly restored = new Set<() => void>();
  private readonly erred = new Set<(error: Error) => void>();
  private sinceMs: number | undefined = performance.now();

  constructor(
    readonly connection: NatsConnection,
    /** The user of the URL; empty when it names none. */
    readonly user: string,
  ) {
    void this.watch();
  }

  /** Since when the connection holds without a break, on the process's monotonic clock; undefined while it is down. */
  get connectedSinceMs(): number | undefined {
    return this.connection.isClosed() ? undefined : this.sinceMs;
  }

  get isConnected(): boolean {
    return this.connectedSinceMs !== undefined;
  }

  /** What the broker says of itself, such as `2.10.27`. */
  get serverVersion(): string {
    return this.connection.info?.version ?? '0.0.0';
  }

  /** Whether the broker belongs to a cluster. */
  get isClustered(): boolean {
    return Boolean(this.connection.info?.cluster);
  }

  /** Calls back each time the connection breaks. Returns the way to stop that. */
  onDisconnect(callback: () => void): () => void {
    this.lost.add(callback);
    return () => void this.lost.delete(callback);
  }

  /** Calls back each time the connection is there again (not the first time). Returns the way to stop that. */
  onReconnect(callback: () => void): () => void {
    this.restored.add(callback);
    return () => void this.restored.delete(callback);
  }

  /** Calls back with what the broker complains of, such as a subject that this user has no right to. For the log. */
  onError(callback: (error: Error) => void): () => void {
    this.erred.add(callback);
    return () => void this.erred.delete(callback);
  }

  /** Whether there is a connection within `timeoutMs`. */
  async whenConnected(timeoutMs: number): Promise<boolean> {
    if (this.isConnected) return true;
    return new Promise((resolve) => {
      const finish = (connected: boolean): void => {
        clearTimeout(timer);
        forget();
        resolve(connected);
      };
      const forget = this.onReconnect(() => finish(true));
      const timer = setTimeout(() => finish(false), Math.max(0, timeoutMs));
    });
  }

  /** Lets what is under way finish, then closes. */
  async drain(): Promise<void> {
    if (this.connection.isClosed()) return;
    if (this.isConnected) await this.connection.drain();
    else await this.connection.close(); // Nothing can be drained over a broken connection.
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect') {
        this.sinceMs = undefined;
        for (const callback of [...this.lost]) callback();
      } else if (status.type === 'reconnect') {
        this.sinceMs = performance.now();
        for (const callback of [...this.restored]) callback();
      } else if (status.type === 'error') {
        for (const callback of [...this.erred]) callback(status.error);
      }
    }
    this.sinceMs = undefined;
  }
}

/**
 * How many refusals of a login are believed. A process that is so busy that it sends its password too late (the broker
 * waits for 2 s) is refused with the same error as one with a wrong password.
 */
const REFUSALS_MAX = 3;

/**
 * Connects, and tries again until `connectWithinMs` has passed.
 *
 * @throws AuthorizationError after {@link REFUSALS_MAX} of them: another attempt with the same password would not help.
 * @throws Error the broker could not be reached in time; `cause` says why.
 */
export const connectLink = async (options: LinkOptions): Promise<NatsLink> => {
  const { servers, user, password } = parseUrl(options.url);
  const deadline = performance.now() + (options.connectWithinMs ?? 30_000);
  const reconnectTimeWait = options.reconnectWaitMs ?? 100;
  for (let refusals = 0; ;) {
    try {
      const connection = await connect({
        servers,
        ...(user === '' ? {} : { user, pass: password }),
        name: options.name,
        inboxPrefix: inboxPrefixOf(user),
        maxReconnectAttempts: -1,
        reconnectTimeWait,
        timeout: ATTEMPT_MAX_MS,
        reconnectJitter: reconnectTimeWait,
        ignoreAuthErrorAbort: true, // A broker that restarts with a new user list must not end this process.
        noAsyncTraces: true,
        pingInterval: PROBE_MS,
        maxPingOut: 2,
      });
      return new NatsLink(connection, user);
    } catch (cause) {
      if (cause instanceof AuthorizationError && (refusals += 1) >= REFUSALS_MAX) throw cause;
      if (performance.now() + reconnectTimeWait > deadline)
        throw new Error(`NATS at ${servers.join(', ')} can't be reached`, { cause });
      await new Promise((resolve) => setTimeout(resolve, reconnectTimeWait));
    }
  }
};

const parseUrl = (url: string): { servers: string[]; user: string; password: string } => {
  const urls = url.split(',').map((one) => new URL(one.trim()));
  const [first = new URL(url)] = urls;
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    user: decodeURIComponent(first.username),
    password: decodeURIComponent(first.password),
  };
};
