import { SESSION_CONFIGURATIONS } from './configurations.js';
import { describeExplored } from './explored.fixture.js';
import { EVERY_STATUS } from './runs/index.js';
import { SESSION_PROPERTIES } from './sessions/index.js';

for (const configuration of SESSION_CONFIGURATIONS)
  describeExplored(configuration, SESSION_PROPERTIES, EVERY_STATUS, {
    L1: '@SM-1d',
  });
