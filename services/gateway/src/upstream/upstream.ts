import type { Answer } from '#nats';

/** Asks the services behind, by request and reply. Every request has a time limit. */
export interface Upstream {
  request<Value = unknown>(
    subject: string,
    body: unknown,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
  ): Promise<Answer<Value>>;
}
export const UPSTREAM = Symbol('Upstream');

/**
 * How long the services behind are waited for. All in milliseconds.
 *
 * A command gets two attempts under the same key inside 10 s, which is less than what clients and proxies usually wait.
 */
export interface UpstreamPatience {
  readonly queryMs: number;
  readonly commandAttemptMs: number;
  /** All attempts of one command together. */
  readonly commandMs: number;
  /** How long a service that nobody listens for may take to come back: a restart of its process. */
  readonly undeliveredMs: number;
  readonly pauseMs: number;
}
export const UPSTREAM_PATIENCE = Symbol('UpstreamPatience');

export const DEFAULT_PATIENCE: UpstreamPatience = {
  queryMs: 5_000,
  commandAttemptMs: 5_000,
  commandMs: 10_000,
  undeliveredMs: 2_000,
  pauseMs: 100,
};
