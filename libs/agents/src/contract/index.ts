import type { AgentName, NodeId } from '#kernel';

/** What may be done with an agent's work: the runtime's capability matrix, as its adapter declares it. */
export interface AgentBinding {
  readonly name: AgentName;
  readonly node: NodeId;
  readonly runtime: string;
  readonly attempts: 'single' | 'resumable';
  readonly deduplicatesByKey: boolean;
  readonly readBackByKey: boolean;
  readonly interruptible: boolean;
  readonly outlivesClient: boolean;
  /** `argument`: a prompt of at most 128 KiB. `stdin`: the full size. */
  readonly promptBy: 'argument' | 'stdin';
}
