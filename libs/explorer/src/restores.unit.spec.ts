import { RESTORE_CONFIGURATIONS } from './configurations.js';
import { describeExplored } from './explored.fixture.js';
import { EVERY_STATUS, RUN_PROPERTIES } from './runs/index.js';

for (const configuration of RESTORE_CONFIGURATIONS)
  describeExplored(configuration, RUN_PROPERTIES, EVERY_STATUS, { I1: '@SM-1a' });
