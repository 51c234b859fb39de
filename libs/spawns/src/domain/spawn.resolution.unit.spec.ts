import { describe, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import { SPAWN } from './spawn.decider.js';
import { UNKNOWN_UNCLAIMED, resolve, resolved, spawnId } from './spawn.fixture.js';

const given = deciderSpec(SPAWN, spawnId);

describe('a resolution where nobody knows whom to tell', () => {
  it('can not stop an agent', () =>
    given(UNKNOWN_UNCLAIMED)
      .when(resolve('stop'))
      .thenRefuses('spawn_agent_not_seen', { spawnId }));

  it('can free the place', () =>
    given(UNKNOWN_UNCLAIMED)
      .when(resolve('free'))
      .then([resolved('free')]));
});
