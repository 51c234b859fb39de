import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KnownNode } from '../contract/index.js';
import { RememberedNodes } from './remembered-nodes.js';

const member = (journalId: string | null): KnownNode => ({
  journalId,
  incarnation: 'incarnation-1',
  journals: [],
});

let nowMs: number;
let current: KnownNode;
let looks: string[];
let nodes: RememberedNodes;
beforeEach(() => {
  nowMs = 0;
  current = member('journal-1');
  looks = [];
  nodes = new RememberedNodes(
    {
      find: async (_workspace, node, consistency) => {
        looks.push(`${node} ${consistency}`);
        return current;
      },
    },
    100,
    () => nowMs,
  );
});

const journalNow = async (consistency: 'any' | 'leader' = 'any'): Promise<string | null> =>
  (await nodes.find('main', 'n1', consistency)).journalId;

describe('a node that is remembered', () => {
  it('is looked up once for a moment, and then again', async () => {
    expect(await journalNow()).toBe('journal-1');
    current = member('journal-2');
    nowMs = 99;
    expect(await journalNow()).toBe('journal-1');
    nowMs = 100;
    expect(await journalNow()).toBe('journal-2');
    expect(looks).toEqual(['n1 any', 'n1 any']);
  });

  it('is looked up each time where the leader is asked, and what that says counts from then on', async () => {
    await journalNow();
    current = member('journal-2');
    expect(await journalNow('leader')).toBe('journal-2');
    expect(await journalNow()).toBe('journal-2');
    expect(looks).toEqual(['n1 any', 'n1 leader']);
  });

  it('is not remembered as one that is away', async () => {
    await journalNow();
    current = member(null);
    expect(await journalNow('leader')).toBeNull();
    expect(await journalNow()).toBeNull();
    current = member('journal-1');
    expect(await journalNow()).toBe('journal-1');
  });

  it('is remembered apart from nodes of other workspaces', async () => {
    await journalNow();
    await nodes.find('other', 'n1', 'any');
    expect(looks).toHaveLength(2);
  });
});
