import type { DurabilityView } from '#contracts';
import { TopologyMismatch, assertTopology, type NatsLink, type Topology } from '#nats';
import type { ReadinessCheck, ServiceConfig } from '#platform';

/** What was found of the broker's streams. */
export interface DurabilityFound {
  readonly check: ReadinessCheck;
  readonly durability: DurabilityView | null;
}

/** How long a finding counts, ms: configuration changes by hand, and seldom. */
const MAX_AGE_MS = 10_000;
/** How long a broker that does not answer is waited for, ms. */
const PATIENCE_MS = 500;

/** Compares the live streams with what the guarantees need, at most once in a while. */
export class DurabilityProbe {
  private found: DurabilityFound | undefined;
  private foundAt = 0;
  private looking: Promise<DurabilityFound> | undefined;

  constructor(
    private readonly linking: Promise<NatsLink>,
    private readonly config: Pick<ServiceConfig, 'replicas' | 'declaredSync'>,
  ) {}

  async look(): Promise<DurabilityFound> {
    if (this.found?.check.ok === true && performance.now() - this.foundAt < MAX_AGE_MS)
      return this.found;
    this.looking ??= this.compare().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async compare(): Promise<DurabilityFound> {
    this.found = await this.ask();
    this.foundAt = performance.now();
    return this.found;
  }

  private async ask(): Promise<DurabilityFound> {
    const { replicas, declaredSync } = this.config;
    try {
      const topology = await assertTopology(await this.linking, {
        mode: 'check',
        replicas,
        patienceMs: PATIENCE_MS,
        ...(declaredSync === undefined ? {} : { declaredSync }),
      });
      const durability = explain(topology);
      return { check: { ok: true, detail: durability.explanation }, durability };
    } catch (error) {
      const detail =
        error instanceof TopologyMismatch ? error.message : 'the broker can not be asked';
      return { check: { ok: false, detail }, durability: null };
    }
  }
}

const explain = ({ durability, serverVersion }: Topology): DurabilityView => {
  switch (durability) {
    case 'synced':
      return {
        survives: 'power-loss',
        explanation: `what is accepted survives power loss: nats-server ${serverVersion} is declared to sync every write (HOLDFAST_NATS_SYNC; a client can not ask it)`,
      };
    case 'replicated':
      return {
        survives: 'power-loss',
        explanation: `what is accepted survives the power loss of one machine: the streams of nats-server ${serverVersion} have three copies`,
      };
    case 'process-death-only':
      return {
        survives: 'process-death',
        explanation: `what is accepted survives the death of any process; a power failure may lose the newest of it (nats-server ${serverVersion} does not sync every write)`,
      };
  }
};
