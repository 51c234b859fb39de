import { afterEach, describe, expect, it } from '@jest/globals';
import { AggregateStore, type EventFeed } from '#event-store';
import { InMemoryEventFeed, InMemoryEventStore } from '#event-store/in-memory';
import { NODE_AGGREGATE } from '#nodes/command';
import { waitUntil } from '#testing/wait-until';
import { FollowedNodes } from './followed-nodes.js';

const store = () => new InMemoryEventStore();
const metadata = { command: 'Test', actor: 'test' };
const running: FollowedNodes[] = [];
afterEach(async () => {
  for (const nodes of running.splice(0)) await nodes.stop();
});

const follow = (feed: EventFeed, nodesMax?: number) => {
  const lost: unknown[] = [];
  const nodes = new FollowedNodes(feed, (problem) => lost.push(problem), nodesMax);
  running.push(nodes);
  nodes.start();
  return { nodes, lost };
};

const join = async (events: InMemoryEventStore, id: string, workspace = 'main'): Promise<void> => {
  await new AggregateStore(events).execute(
    NODE_AGGREGATE,
    { workspace, id },
    {
      type: 'JoinNode',
      nodeId: id,
      now: 1_000,
      journalId: `journal-${id}`,
      incarnation: 'incarnation-1',
      leaseHolder: null,
      description: {
        name: id,
        capabilities: [],
        capacity: 1,
        maxRuns: 1,
        agents: [],
        harnesses: ['claude'],
      },
    },
    { commandId: `join/${workspace}/${id}`, metadata },
  );
};
const idsOf = (nodes: FollowedNodes, workspace = 'main'): readonly string[] =>
  nodes.list(workspace).map(({ nodeId }) => nodeId);
const untilKnown = async (nodes: FollowedNodes, ids: readonly string[]): Promise<void> => {
  await waitUntil(`the nodes ${ids.join(', ')}`, () => idsOf(nodes).join() === ids.join());
};

describe('the nodes that are followed', () => {
  it('are those that joined before, and those that join later', async () => {
    const events = store();
    await join(events, 'a');
    const { nodes } = follow(new InMemoryEventFeed(events));
    await untilKnown(nodes, ['a']);
    await join(events, 'b');
    await untilKnown(nodes, ['a', 'b']);
    expect(nodes.list('main')[0]).toStrictEqual({
      nodeId: 'a',
      harnesses: ['claude'],
      capabilities: [],
      drained: false,
      free: 1,
    });
  });

  it('are those of the workspace that asks', async () => {
    const events = store();
    await join(events, 'a', 'other');
    await join(events, 'a');
    const { nodes } = follow(new InMemoryEventFeed(events));
    await untilKnown(nodes, ['a']);
    expect([idsOf(nodes), idsOf(nodes, 'other'), idsOf(nodes, 'third')]).toStrictEqual([
      ['a'],
      ['a'],
      [],
    ]);
  });

  it('are so many at most; the one that was silent for longest is forgotten', async () => {
    const events = store();
    const { nodes } = follow(new InMemoryEventFeed(events), 2);
    for (const id of ['a', 'b', 'c']) await join(events, id);
    await untilKnown(nodes, ['b', 'c']);
  });

  it('stay as they were when the stream can be followed no more, which is told', async () => {
    const events = store();
    await join(events, 'a');
    const torn = new Error('torn');
    const { nodes, lost } = follow({
      async *follow(options) {
        for await (const batch of new InMemoryEventFeed(events).follow(options)) {
          yield batch;
          throw torn;
        }
      },
    });
    expect(nodes.isFollowing).toBe(true);
    await waitUntil('the loss', () => lost.length > 0);
    expect(lost).toStrictEqual([torn]);
    expect([nodes.isFollowing, idsOf(nodes)]).toStrictEqual([false, ['a']]);
  });
});
