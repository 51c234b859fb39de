import { describe, expect, it } from '@jest/globals';
import { GENERIC_SPAWN_CONFIGURATIONS, SPAWN_CONFIGURATIONS } from './configurations.js';
import { GENERIC_SPAWN_CONTROLS, SPAWN_CONTROLS, exploreSpawnWithout } from './controls/index.js';
import { describeExplored } from './explored.fixture.js';
import { SPAWN_PROPERTIES } from './spawns/index.js';

const STATUSES = [
  'agent_not_started',
  'claimed',
  'completed',
  'dispatched',
  'never_dispatched_expired',
  'never_received',
  'pending',
  'releasing',
  'spawn_outcome_unknown',
];

describe('a strict spawn and the slots of its node, in every order of everything', () => {
  for (const configuration of SPAWN_CONFIGURATIONS)
    describeExplored(configuration, SPAWN_PROPERTIES, STATUSES);
});

describe('a generic spawn and the slots of two nodes, in every order of everything (@SP-73)', () => {
  const statuses = STATUSES.filter((status) => status !== 'never_received');
  for (const configuration of GENERIC_SPAWN_CONFIGURATIONS)
    describeExplored(configuration, SPAWN_PROPERTIES, statuses);
});

describe('without one rule', () => {
  it.each([...SPAWN_CONTROLS, ...GENERIC_SPAWN_CONTROLS])('$breaks is broken: $rule', (control) => {
    const found = exploreSpawnWithout(control, () => performance.now());
    expect(found.broken.map(({ name }) => name)).toContain(control.breaks);
  });
});
