import type { DomainEvent } from '#kernel';
import type { SpanInfo } from '#tracing';
import type { AggregateRef, CommitMetadata } from './port/event-store.js';

/** What is decided of an aggregate goes on in the trace that its command names, whatever else is open here. */
export const appendSpan = (
  { aggregate, workspace, id }: AggregateRef,
  events: readonly DomainEvent[],
  { command, traceparent }: CommitMetadata,
): SpanInfo => ({
  name: `append ${aggregate}`,
  kind: 'producer',
  continues: traceparent,
  facts: {
    'holdfast.command': command,
    'holdfast.events': typesOf(events),
    'holdfast.workspace': workspace,
    'holdfast.aggregate': aggregate,
    'holdfast.id': id,
  },
});

export const typesOf = (events: readonly DomainEvent[]): string =>
  events.map(({ type }) => type).join(',');
