/** `/readyz`: whether this gateway can do its work, and what it knows of the parts behind it. */
export interface ReadinessView {
  readonly ready: boolean;
  /** By name: `nats`, `commands`, `queries`, `postgres`, `projections`, `durability`; `lifecycle` while it ends. */
  readonly checks: Readonly<Record<string, ReadinessCheckView>>;
  /** What an accepted command survives; null while the broker can't be asked. */
  readonly durability: DurabilityView | null;
  /** Time that the projection which is furthest behind lacks, ms; null while it can't be asked. */
  readonly projectionLagMs: number | null;
}

export interface ReadinessCheckView {
  readonly ok: boolean;
  /** One sentence. Never contains an address with a password. */
  readonly detail: string;
}

export interface DurabilityView {
  /** `process-death`: the death of any process loses nothing. `power-loss`: neither does a power failure. */
  readonly survives: 'process-death' | 'power-loss';
  readonly explanation: string;
}

/** `hf.qry.health.get`: what the read side knows of itself. */
export interface ReadSideHealthView {
  /** Postgres answers. */
  readonly postgres: boolean;
  /** Of the projection that is furthest behind, ms; null while it can't be told. */
  readonly lagMs: number | null;
  /** Projections that have stopped, and why. */
  readonly findings: readonly string[];
}
