import { join } from 'node:path';
import type { LocalNode } from '#local-stack';
import { SHORT_WINDOWS } from './fixture.js';

/** Long enough that whoever is killed is back before the time of a spawn is up. */
export const PATIENT = {
  ...SHORT_WINDOWS,
  repeatMs: 300,
  spawnReservationMs: 20_000,
  spawnRetryAfterMs: 20_000,
  neverDispatchedMs: 60_000,
} as const;

/** So short that a test can wait until the time of a spawn is up. */
export const IMPATIENT = {
  ...PATIENT,
  spawnReservationMs: 1_500,
  spawnRetryAfterMs: 3_000,
  neverDispatchedMs: 10_000,
} as const;

const CHECKOUT = new URL('../../', import.meta.url).pathname;

export const NODES = ['n1', 'n2'] as const;
export type NodeId = (typeof NODES)[number];

/** Where the agents of a node write down that they came to life. */
export const ledgerOf = (folder: string, node: string): string =>
  join(folder, `ledger-${node}.jsonl`);
/** While it is there, the harness `gated` of that node is ready. */
export const readyFileOf = (folder: string, node: string): string => join(folder, `ready-${node}`);

/** Two of them differ in nothing but their id, their ledger and their ready file. */
export const nodeOf = (folder: string, id: NodeId): LocalNode => {
  const harness = {
    runtime: 'cli',
    argv: [
      process.execPath,
      join(CHECKOUT, 'test-e2e/support/ledger-agent.mjs'),
      ledgerOf(folder, id),
      '{prompt}',
    ],
    promptBy: 'argument',
  };
  return {
    id,
    name: 'builder',
    workspace: 'main',
    capabilities: [],
    capacity: 16,
    maxRuns: 16,
    stopGraceMs: 500,
    agents: [],
    harnesses: [
      { name: 'ledger', ...harness },
      { name: 'gated', ...harness, readyFile: readyFileOf(folder, id) },
    ],
  };
};
