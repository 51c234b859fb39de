import { RuleViolation, type Decider } from '#kernel';
import { LossyInMemoryEventStore } from './in-memory/lossy-in-memory.fixture.js';
import type { AggregateType, ExecuteOptions } from './port/aggregate-store.js';
import type { AggregateRef, Commit, EventStore } from './port/event-store.js';

export interface Add {
  readonly type: 'Add';
  readonly amount: number;
}
export interface Added {
  readonly type: 'Added';
  readonly data: { readonly amount: number };
}
export interface Sum {
  readonly total: number;
  readonly commits: number;
}

/** Adds up to 1,000: nothing new for 0, a refusal beyond. */
export const sumDecider: Decider<Add, Sum, Added> = {
  aggregate: 'sum',
  initialState: () => ({ total: 0, commits: 0 }),
  evolve: (state, event) => ({
    total: state.total + event.data.amount,
    commits: state.commits + 1,
  }),
  decide: (command, state) => {
    if (state.total + command.amount > 1_000) throw new RuleViolation('sum.full');
    return command.amount === 0 ? [] : [{ type: 'Added', data: { amount: command.amount } }];
  },
};

export const sum: AggregateType<Add, Sum, Added> = { decider: sumDecider };

export const sumWithSnapshots: AggregateType<Add, Sum, Added> = {
  decider: sumDecider,
  snapshots: { revive: (stored) => stored as Sum, commitsOf: ({ commits }) => commits },
};

export const key = { workspace: 'main', id: 'sum-1' } as const;
export const ref: AggregateRef = { aggregate: 'sum', ...key };
export const add = (amount: number): Add => ({ type: 'Add', amount });
export const as = (commandId: string, more: Partial<ExecuteOptions> = {}): ExecuteOptions => ({
  commandId,
  metadata: { command: 'Add', actor: 'service:test' },
  ...more,
});

type ReadOptions = Parameters<EventStore['read']>[1];

/** Notes its reads, and can answer reads that need not come from the leader with what was there before. */
export class ObservedStore extends LossyInMemoryEventStore {
  readonly reads: (ReadOptions & { readonly found: number })[] = [];
  /** A replica that lags sees no revision beyond this one. */
  replicaEnd = Number.MAX_SAFE_INTEGER;

  override async read(of: AggregateRef, options: ReadOptions): Promise<readonly Commit[]> {
    const all = await super.read(of, options);
    const isStale = options.consistency === 'any';
    const commits = isStale ? all.filter(({ revision }) => revision <= this.replicaEnd) : all;
    this.reads.push({ ...options, found: commits.length });
    return commits;
  }
}
