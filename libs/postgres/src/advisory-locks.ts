import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { guardedClient } from './guarded-client.js';

export interface AdvisoryLocksOptions {
  readonly url: string;
  readonly applicationName: string;
  /** Told of lost connections. The next attempt connects again. */
  readonly onProblem?: (problem: unknown) => void;
}

/** How long a connection or an answer may take. */
const TIMEOUT_MS = 3_000;
/** How often the connection is looked at while locks are held: a silent one must not keep anybody believing for long. */
const PROBE_MS = 2_000;
/**
 * After how long the server ends a connection that says nothing, ms: a holder that hangs, or whose machine is gone, must
 * make room for the next one, though nobody closed anything. Source: three probes, as long as a lease.
 */
const SILENT_MAX_MS = 3 * PROBE_MS;
/** Servers before 14 do not know the setting, and keep the lock until TCP gives up. */
const LIMIT_SILENCE = `SELECT set_config('idle_session_timeout', $1, false)
  WHERE current_setting('server_version_num')::integer >= 140000`;

/**
 * Locks that live as long as one connection of their own: a killed process frees them, and so does a lost connection, and a
 * process that hangs for longer than {@link SILENT_MAX_MS}.
 *
 * Holding one saves work. It proves nothing: the server may already have given it to another while a broken connection
 * goes unnoticed here. Whatever must not happen twice needs a fence of its own.
 */
export class AdvisoryLocks {
  private client: Client | undefined;
  private connecting: Promise<Client> | undefined;
  private held = new Set<string>();
  private probe: NodeJS.Timeout | undefined;
  private readonly onLostCallbacks = new Set<(name: string) => void>();

  constructor(private readonly options: AdvisoryLocksOptions) {}

  /** Calls back with each lock that is lost with its connection. Returns the way to stop that. */
  onLost(callback: (name: string) => void): () => void {
    this.onLostCallbacks.add(callback);
    return () => void this.onLostCallbacks.delete(callback);
  }

  holds(name: string): boolean {
    return this.held.has(name);
  }

  /**
   * Tries once, without waiting for a holder to leave.
   *
   * @throws Error the database could not be asked.
   */
  async tryAcquire(name: string): Promise<boolean> {
    if (this.held.has(name)) return true;
    try {
      const client = await this.connected();
      const { rows } = await client.query<{ got: boolean }>(
        'SELECT pg_try_advisory_lock($1::bigint) AS got',
        [lockKey(name)],
      );
      if (rows[0]?.got !== true || this.client !== client) return false;
      this.held.add(name);
      return true;
    } catch (problem) {
      this.lose();
      throw problem;
    }
  }

  async release(name: string): Promise<void> {
    if (!this.held.delete(name)) return;
    await this.client?.query('SELECT pg_advisory_unlock($1::bigint)', [lockKey(name)]);
  }

  /** Frees all of them. */
  async close(): Promise<void> {
    const { client } = this;
    this.forget();
    await client?.end();
  }

  /** Whoever asks while it connects waits for the same connection: a second one would hold its locks unseen. */
  private connected(): Promise<Client> {
    if (this.client !== undefined) return Promise.resolve(this.client);
    this.connecting ??= this.connect().finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  private async connect(): Promise<Client> {
    const { url, applicationName } = this.options;
    const Guarded = guardedClient((problem) => this.options.onProblem?.(problem));
    const client = new Guarded({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    });
    await client.connect();
    await client.query(LIMIT_SILENCE, [String(SILENT_MAX_MS)]);
    client.once('end', () => {
      if (this.client === client) this.lose();
    });
    this.client = client;
    this.probe = setInterval(() => void this.look(client), PROBE_MS);
    return client;
  }

  private async look(client: Client): Promise<void> {
    try {
      await client.query('SELECT 1');
    } catch (problem) {
      this.options.onProblem?.(problem);
      if (this.client === client) this.lose();
    }
  }

  private lose(): void {
    const { client, held } = this;
    this.forget();
    // A connection that only seems broken must not keep the locks at the server.
    client?.end().catch((problem: unknown) => this.options.onProblem?.(problem));
    for (const name of held) for (const callback of [...this.onLostCallbacks]) callback(name);
  }

  private forget(): void {
    clearInterval(this.probe);
    this.client = undefined;
    this.held = new Set();
  }
}

/** A name's number: locks of one database share one space of 64-bit numbers. */
export const lockKey = (name: string): string =>
  createHash('sha256').update(`holdfast:${name}`).digest().readBigInt64BE(0).toString();
