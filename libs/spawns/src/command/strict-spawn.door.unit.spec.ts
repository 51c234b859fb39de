import { describe, expect, it } from '@jest/globals';
import { NotNow } from '#hosting';
import { RuleViolation } from '#kernel';
import type { NodeForSpawns, NodeLife } from '#nodes/contract';
import { PENDING, spawnAfter } from '../domain/spawn.fixture.js';
import { StrictSpawnDoor } from './strict-spawn.door.js';

const NODE: NodeForSpawns = {
  membership: 'member',
  name: 'builder',
  journalId: 'journal-1',
  capabilities: [],
  harnesses: ['claude'],
  drained: false,
  free: 1,
  slot: { round: null, state: 'none', reservedAt: 0, fenced: 0 },
};
const ALIVE: NodeLife = { liveness: 'alive', notReady: [], lastHeardAt: 1 };
const WANTED = { nodeId: 'node-1', nodeName: 'builder', harness: 'claude', verifyReady: false };

interface Given {
  readonly node?: Partial<NodeForSpawns>;
  readonly life?: Partial<NodeLife>;
  readonly wanted?: Partial<typeof WANTED>;
}
/** A door, and which nodes were ever looked at or judged through it. */
const doorWith = ({ node, life }: Given) => {
  const lookedAt: string[] = [];
  const door = new StrictSpawnDoor(
    {
      look: async (_workspace, id) => {
        lookedAt.push(id);
        return { ...NODE, ...node };
      },
    },
    {
      judge: async (_workspace, id) => {
        lookedAt.push(id);
        return { ...ALIVE, ...life };
      },
    },
  );
  return { door, lookedAt };
};
const codeOf = async (checked: Promise<void>): Promise<string> => {
  try {
    await checked;
  } catch (error) {
    if (error instanceof RuleViolation || error instanceof NotNow) return error.code;
    throw error;
  }
  return 'let in';
};
const ofNew = (given: Given): Promise<string> =>
  codeOf(doorWith(given).door.checkNew('main', 'spawn-1', { ...WANTED, ...given.wanted }));
const ofUnsent = (given: Given): Promise<string> =>
  codeOf(doorWith(given).door.checkUnsent('main', spawnAfter(PENDING)));

/** Three refusals that nobody can take for each other. */
const TARGETS: readonly (readonly [string, Partial<NodeForSpawns>, string])[] = [
  ['never joined (@SP-30)', { membership: 'none', name: null }, 'node_not_found'],
  ['has left (@SP-30)', { membership: 'left' }, 'node_not_found'],
  ['is called otherwise (@SP-29)', { name: 'Builder' }, 'node_target_mismatch'],
  ['does not offer the harness (@SP-31)', { harnesses: ['codex'] }, 'node_capability_missing'],
];

describe('a new strict spawn', () => {
  it('is let in to a node that is there, is called so, offers the harness and lives', async () => {
    expect(await ofNew({})).toBe('let in');
  });

  it.each(TARGETS)('is refused by a node that %s (@SP-41)', async (_what, node, code) => {
    expect(await ofNew({ node })).toBe(code);
    expect(await ofNew({ node, life: { liveness: 'silent' } })).toBe(code);
  });

  it('is refused, for now, by a node that is silent, and by one of which nothing can be told (@SP-32)', async () => {
    expect(await ofNew({ life: { liveness: 'silent' } })).toBe('node_offline');
    expect(await ofNew({ life: { liveness: 'unclear' } })).toBe('unavailable');
  });

  it.each<[string, Given]>([
    ['whose harness is not ready', { life: { notReady: ['claude'] } }],
    ['that is drained', { node: { drained: true } }],
  ])('that demands readiness is refused by a node %s (@SP-58, @SP-59)', async (_what, given) => {
    expect(await ofNew({ ...given, wanted: { verifyReady: true } })).toBe('node_not_ready');
    expect(await ofNew(given)).toBe('let in');
  });

  it('may wait for a node that is full, and for a harness of others (@SP-34)', async () => {
    const given = { node: { free: 0 }, life: { notReady: ['codex'] } };
    expect(await ofNew({ ...given, wanted: { verifyReady: true } })).toBe('let in');
  });

  it('has nobody looked at but the node that it names (@SP-33)', async () => {
    const { door, lookedAt } = doorWith({});
    await door.checkNew('main', 'spawn-1', WANTED);
    await door.checkUnsent('main', spawnAfter(PENDING));
    await door.checkReady('main', spawnAfter(PENDING));
    expect(new Set(lookedAt)).toEqual(new Set(['node-1']));
  });

  it('asks whoever is configured whether its node lives, whatever was heard and when (@SP-35)', async () => {
    expect(await ofNew({ life: { liveness: 'alive', lastHeardAt: null } })).toBe('let in');
    expect(await ofNew({ life: { liveness: 'silent', lastHeardAt: Date.now() } })).toBe(
      'node_offline',
    );
  });
});

describe('a claim that has not left', () => {
  it.each(TARGETS)('is told of a node that %s (@SP-41, @SP-68)', async (_what, node, code) => {
    expect(await ofUnsent({ node })).toBe(code);
  });

  it('waits for a node that is silent', async () => {
    expect(await ofUnsent({ life: { liveness: 'silent' } })).toBe('let in');
  });
});
