/** What a client's command answers, over NATS as over HTTP (there the flag is a header). */
export interface Answered<Value> {
  readonly value: Value;
  /** The key had been used before: this is what its first use did. */
  readonly replayed: boolean;
}
