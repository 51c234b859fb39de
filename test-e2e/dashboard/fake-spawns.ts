import type { ChangeView, NodeView, SpawnDetailView } from '#contracts';
import type { Asked } from '../../services/gateway/src/gateway.fixture.js';
import { Conflict, idOf } from './fake-parts.js';

/** What the services know of spawns and of nodes' service, as far as a page can tell. */
export class FakeSpawns {
  readonly all: SpawnDetailView[] = [];
  readonly #stops = new Map<string, { readonly spawnId: string; readonly reason: string }>();

  constructor(
    private readonly nodes: NodeView[],
    private readonly announce: (change: ChangeView) => void,
  ) {}

  /** Adds spawns, the newest last, and announces them. */
  add(...spawns: readonly SpawnDetailView[]): void {
    for (const spawn of spawns) {
      this.all.unshift(spawn);
      this.announce({ kind: 'spawn', id: spawn.spawnId, status: spawn.status });
    }
  }

  /** Changes a spawn, and announces it. */
  change(spawnId: string, change: Partial<SpawnDetailView>): void {
    const at = this.all.findIndex((spawn) => spawn.spawnId === spawnId);
    const changed = { ...this.all[at]!, ...change };
    this.all[at] = changed;
    this.announce({ kind: 'spawn', id: spawnId, status: changed.status });
  }

  chosen(body: Asked['body']): readonly SpawnDetailView[] {
    const statuses = body['status'] as readonly string[] | undefined;
    return this.all.filter(
      (spawn) =>
        (statuses?.includes(spawn.status) ?? true) &&
        (body['node'] ?? spawn.nodeId) === spawn.nodeId &&
        (body['unknown'] !== true || spawn.unknown !== null),
    );
  }

  find(id: string): SpawnDetailView | undefined {
    return this.all.find(({ spawnId }) => spawnId === id);
  }

  /** As the decider does it: only what may live can be decided on, and only what was seen adopted. */
  resolve(body: Asked['body']) {
    const spawnId = String(body['spawnId']);
    const as = body['as'] as NonNullable<SpawnDetailView['resolution']>['as'];
    const spawn = this.find(spawnId)!;
    if (spawn.agent === 'ended' || spawn.resolution?.as === 'free')
      return new Conflict('spawn_not_unknown');
    if (as === 'adopt' && spawn.agent !== 'alive') return new Conflict('spawn_agent_not_seen');
    const resolution = { as, note: String(body['note']), actor: 'user:ada', at: now() };
    this.change(spawnId, { resolution, unknown: null });
    return { spawnId, resolution: as };
  }

  requestStop({ body, headers }: Asked) {
    const { id } = body['target'] as { readonly id: string };
    if (this.find(id)?.status !== 'completed') return new Conflict('spawn_has_no_agent');
    const stopId = idOf(headers['idempotency-key'] ?? '');
    const reason = String(body['reason']);
    this.#stops.set(stopId, { spawnId: id, reason });
    this.change(id, { stop: { stopId, requestedAt: now(), reason } });
    return { stopId };
  }

  stop(stopId: string) {
    const stop = this.#stops.get(stopId);
    if (stop === undefined) return undefined;
    const hasEnded = this.find(stop.spawnId)?.agent === 'ended';
    return {
      stopId,
      target: { kind: 'agent', id: stop.spawnId },
      reason: stop.reason,
      requestedBy: 'user:ada',
      requestedAt: now(),
      outcome: hasEnded ? 'proven' : 'pending',
      proof: hasEnded ? 'process-group-gone' : null,
      remains: [],
      runStatus: null,
    };
  }

  serve({ body }: Asked, isDrained: boolean) {
    const nodeId = String(body['nodeId']);
    const at = this.nodes.findIndex(({ id }) => id === nodeId);
    const drained = { reason: String(body['reason']), actor: 'user:ada', since: now() };
    this.nodes[at] = { ...this.nodes[at]!, drained: isDrained ? drained : null };
    this.announce({ kind: 'node', id: nodeId, status: 'member' });
    return { nodeId, drained: isDrained };
  }
}

const now = (): string => new Date().toISOString();
