import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeEventStore } from '#event-store/conformance';
import { NATS_SERIES, natsServerUnderTest, type NatsServerUnderTest } from '#testing';
import { directUnderTest, lossyUnderTest } from './jetstream-under-test.fixture.js';

describe.each(NATS_SERIES)('JetStream on nats-server %s', (series) => {
  let server: NatsServerUnderTest;
  beforeAll(async () => {
    server = await natsServerUnderTest({ series });
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
  });

  describeEventStore('over a sound connection', async () => directUnderTest(server), {
    leftOut: {
      'lost-acknowledgement-then-retry-is-one-commit':
        'nothing gets lost on a sound connection; the run over the lossy one has it',
    },
  });
  describeEventStore('over a lossy connection', async () => lossyUnderTest(server));
});
