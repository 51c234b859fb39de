import type { RunBrief } from '#runs/contract';
import type { SessionQueue } from '../contract/index.js';

/** What those who queue in a session wait for; null when nobody does. Pure. */
export const sessionWaitsFor = (
  { activeRunId, queue }: SessionQueue,
  holder: Pick<RunBrief, 'status' | 'fenced'> | undefined,
): string | null => {
  if (queue.length === 0) return null;
  const run = `run ${activeRunId}`;
  switch (holder?.status) {
    case 'unknown':
      return holder.fenced
        ? `its place, which ${run} gives up: nothing of it runs any more`
        : `proof of what became of ${run}, or an operator: its outcome is unknown, and it may still run`;
    case 'stopping':
      return `${run}, which is being stopped`;
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'abandoned':
      return `its place, which ${run} gives up: it is over`;
    case 'queued':
    case 'dispatched':
    case 'running':
    case undefined:
      return `${run}, which holds the session`;
  }
};
