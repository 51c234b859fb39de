/** Who made a commit, and what it belongs to: travels with it, decides nothing. */
export interface Provenance {
  /** A principal (`user:ada`), a service (`service:sagas`) or a node (`node:main/n1`). */
  readonly actor: string;
  /** Shared by everything that one request set in motion. */
  readonly requestId?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
}
