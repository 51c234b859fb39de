import type { Frame } from '#contracts';
import { tracing, type SpanInfo } from '#tracing';
import type { FramePublisher } from './frames.js';

/** Puts a frame on its way, once and for all, in the trace that it belongs to. Doing so again is always safe. */
export const publishFrame = async (
  frames: Pick<FramePublisher, 'publish'>,
  frame: Frame,
): Promise<void> => {
  const { workspace, node, journalId, runId: work, generation } = frame;
  const address = { workspace, node, journalId, work, generation };
  await tracing.within(spanOf(frame), async (span) => {
    const { traceparent } = span;
    const sent = traceparent === undefined ? frame : { ...frame, traceparent };
    const outcome = await frames.publish(address, sent);
    span.note({ 'holdfast.outcome': outcome, 'holdfast.repeated': outcome === 'already-there' });
  });
};

const spanOf = ({ workspace, node, runId, generation, traceparent }: Frame): SpanInfo => ({
  name: 'publish frame',
  kind: 'producer',
  continues: traceparent,
  facts: {
    'holdfast.workspace': workspace,
    'holdfast.node': node,
    'holdfast.id': runId,
    'holdfast.generation': generation,
  },
});
