import { describe, expect, it } from '@jest/globals';
import { AggregateStore } from '#event-store';
import { LeaderAhead } from '#event-store/in-memory';
import { COMPLETED, RUNNING, runId } from '../domain/run.fixture.js';
import type { RunEvent } from '../domain/index.js';
import type { RunWriting } from './run-writing.js';
import { StoredRuns } from './stored-runs.js';

const runsWith = async (history: readonly RunEvent[]): Promise<StoredRuns> => {
  const events = new LeaderAhead();
  await events.append({
    ref: { aggregate: 'run', workspace: 'main', id: runId },
    expected: 0,
    commandId: 'history',
    events: history,
    metadata: { command: 'Test', actor: 'service:test' },
  });
  return new StoredRuns({ store: new AggregateStore(events) } as unknown as RunWriting);
};

/** Whether a session's place may be given away: a replica that lags would lose the only wake-up. */
describe('a run, as its session sees it', () => {
  it.each([
    ['is over', COMPLETED, true],
    ['goes on', RUNNING, false],
  ])('%s, as the leader of the stream says', async (_what, history, over) => {
    const runs = await runsWith(history);
    expect(await runs.read('main', runId)).toMatchObject({ exists: true, over });
  });
});
