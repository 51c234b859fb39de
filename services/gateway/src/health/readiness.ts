import type { DurabilityView, ReadSideHealthView, ReadinessView } from '#contracts';
import { ReadinessBoard, type ReadinessCheck } from '#platform';
import type { Upstream } from '../upstream/upstream.js';
import type { DurabilityFound } from './durability.probe.js';

/** What the parts behind the gateway can be asked for. */
export interface ReadinessPorts {
  readonly upstream: Upstream;
  readonly isConnected: () => boolean;
  readonly durability: () => Promise<DurabilityFound>;
}

/** How long one probe waits, ms: below what a board waits for a check. */
const PROBE_MS = 700;
/** How long a look counts, ms: whoever asks more often gets the same answer. */
const LOOK_MAX_AGE_MS = 250;
/** Past this, readers see the past: rows are current within 100 ms in the normal course. Milliseconds. */
export const LAG_MAX_MS = 10_000;

/** Looks at everything that this gateway needs, for `/readyz`. */
export class GatewayReadiness {
  readonly board = new ReadinessBoard();
  private durability: DurabilityView | null = null;
  private lagMs: number | null = null;
  private asking: Promise<ReadSideHealthView | undefined> | undefined;
  private looked: { readonly at: number; readonly view: Promise<ReadinessView> } | undefined;

  constructor(private readonly ports: ReadinessPorts) {
    this.board.set('nats', () => ({
      ok: ports.isConnected(),
      detail: ports.isConnected() ? 'connected' : 'not connected',
    }));
    this.board.set('commands', () => this.answers('hf.cmd.runs.submit'));
    this.board.set('queries', () => this.answers('hf.qry.access.identify'));
    this.board.set('postgres', () => this.postgres());
    this.board.set('projections', () => this.projections());
    this.board.set('durability', async () => {
      const { check, durability } = await ports.durability();
      this.durability = durability;
      return check;
    });
  }

  look(): Promise<ReadinessView> {
    const now = performance.now();
    if (this.looked && now - this.looked.at < LOOK_MAX_AGE_MS) return this.looked.view;
    const view = this.lookNow();
    this.looked = { at: now, view };
    return view;
  }

  private async lookNow(): Promise<ReadinessView> {
    this.durability = null;
    this.lagMs = null;
    this.asking = undefined;
    const { ready, checks } = await this.board.look();
    const { durability, lagMs } = this;
    return { ready, checks: shown(checks), durability, projectionLagMs: lagMs };
  }

  /** A service that refuses a request without a token is there, and reads what it gets. */
  private async answers(subject: string): Promise<ReadinessCheck> {
    if (!this.ports.isConnected()) return { ok: false, detail: 'NATS is away' };
    const answer = await this.ports.upstream.request(subject, {}, { timeoutMs: PROBE_MS });
    switch (answer.kind) {
      case 'answer':
      case 'refused':
        return { ok: true, detail: 'answers' };
      case 'not-delivered':
        return { ok: false, detail: 'nobody listens' };
      case 'no-answer':
        return { ok: false, detail: 'no answer in time' };
    }
  }

  private async postgres(): Promise<ReadinessCheck> {
    const health = await this.readSide();
    if (health === undefined) return NOT_ASKED;
    return { ok: health.postgres, detail: health.postgres ? 'answers' : 'does not answer' };
  }

  private async projections(): Promise<ReadinessCheck> {
    const health = await this.readSide();
    if (health?.lagMs === undefined || health.lagMs === null) return NOT_ASKED;
    const { lagMs, findings } = health;
    this.lagMs = lagMs;
    if (findings.length > 0) return { ok: false, detail: findings.join('; ') };
    return { ok: lagMs <= LAG_MAX_MS, detail: `${lagMs} ms behind` };
  }

  /** Asked once for a look, whoever of the two above is first. */
  private readSide(): Promise<ReadSideHealthView | undefined> {
    this.asking ??= this.askReadSide();
    return this.asking;
  }

  private async askReadSide(): Promise<ReadSideHealthView | undefined> {
    if (!this.ports.isConnected()) return undefined;
    const answer = await this.ports.upstream.request<ReadSideHealthView>(
      'hf.qry.health.get',
      {},
      { timeoutMs: PROBE_MS },
    );
    return answer.kind === 'answer' ? answer.value : undefined;
  }
}

const NOT_ASKED: ReadinessCheck = { ok: false, detail: 'the read side can not be asked' };

const shown = (checks: Readonly<Record<string, ReadinessCheck>>): ReadinessView['checks'] =>
  Object.fromEntries(
    Object.entries(checks).map(([name, { ok, detail }]) => [
      name,
      { ok, detail: typeof detail === 'string' ? detail : '' },
    ]),
  );
