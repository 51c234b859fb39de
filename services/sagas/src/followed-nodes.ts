import type { Commit, EventFeed } from '#event-store';
import { fold, type WorkspaceId } from '#kernel';
import { initialNode, type NodeEvent, type NodeState } from '#nodes/domain';
import type { NodeCatalog, NodeHint } from '#spawns/saga';
import { foldForHint, hintOf } from './node-hint.projector.js';

/** Nodes that are kept at a time, of all workspaces: some hundred bytes each, and as much again per agent. */
const NODES_MAX = 10_000;
/** Commits that are folded at a time. */
const BATCH_MAX = 256;

interface Followed {
  readonly workspace: WorkspaceId;
  readonly node: NodeState;
}

/**
 * The nodes that there are, folded from the stream as it grows. A memory of this process: at its start it knows none, and
 * what waits for a node is looked at again. Where there are too many, the one that said nothing for longest is forgotten,
 * and gets only spawns that name it.
 */
export class FollowedNodes implements NodeCatalog {
  private readonly nodes = new Map<string, Followed>();
  private readonly ending = new AbortController();
  private following: Promise<void> | null = null;

  /** @param onLost told when the stream can't be followed any more; what is known stays, and grows old. */
  constructor(
    private readonly feed: EventFeed,
    private readonly onLost: (problem: unknown) => void,
    private readonly nodesMax = NODES_MAX,
  ) {}

  get isFollowing(): boolean {
    return this.following !== null;
  }

  start(): void {
    this.following ??= this.follow();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.following;
  }

  list(workspace: WorkspaceId): readonly NodeHint[] {
    const hints: NodeHint[] = [];
    for (const followed of this.nodes.values()) {
      const hint = followed.workspace === workspace ? hintOf(followed.node) : null;
      if (hint !== null) hints.push(hint);
    }
    return hints;
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    const options = { after: 0, aggregates: ['node'], batchMax: BATCH_MAX, lingerMs: 0, signal };
    try {
      for await (const commits of this.feed.follow(options))
        for (const one of commits) this.take(one);
    } catch (problem) {
      this.following = null;
      this.onLost(problem);
    }
  }

  private take({ ref: { workspace, id }, events }: Commit): void {
    const key = `${workspace}/${id}`;
    const before = this.nodes.get(key)?.node ?? initialNode(id);
    const node = fold(foldForHint, before, events as readonly NodeEvent[]);
    this.nodes.delete(key); // Put last: the first one is the one that was silent for longest.
    this.nodes.set(key, { workspace, node });
    if (this.nodes.size <= this.nodesMax) return;
    const [silent] = this.nodes.keys();
    if (silent !== undefined) this.nodes.delete(silent);
  }
}
