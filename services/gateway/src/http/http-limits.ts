/** What one gateway takes from the outside. Times in milliseconds, sizes in bytes. */
export interface HttpLimits {
  /** Source: the protocol's bounds. */
  readonly bodyBytesMax: number;
  /** From the first byte of a request to the last of its body: 512 KiB at 17 KiB/s. */
  readonly requestMs: number;
  /** From the connection to the end of the headers. */
  readonly headersMs: number;
  /** How long a connection may lie idle between two requests. */
  readonly keepAliveMs: number;
  /** How long a connection on which nothing moves lives: longer than a heartbeat of a stream. */
  readonly silenceMs: number;
  /** How often slow requests are looked for. */
  readonly checkMs: number;
  readonly headerBytesMax: number;
  /** Each holds at most one body: 1,000 of them stay below 512 MiB. Further ones are dropped. */
  readonly connectionsMax: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytesMax: 512 * 1024,
  requestMs: 30_000,
  headersMs: 10_000,
  keepAliveMs: 5_000,
  silenceMs: 60_000,
  checkMs: 1_000,
  headerBytesMax: 16 * 1024,
  connectionsMax: 1_000,
};
