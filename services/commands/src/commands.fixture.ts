import type { INestMicroservice } from '@nestjs/common';
import { issueBootstrapTokens, type BootstrapToken } from '#access/command';
import type { JoinRequest } from '#contracts';
import { AggregateStore } from '#event-store';
import {
  JetStreamEventStore,
  LeaseJudge,
  assertTopology,
  ensureFirstEpoch,
  type NatsLink,
} from '#nats';
import { Metrics, WorkspaceKeys, createLogger, systemClock, type Windows } from '#platform';
import { createCommandsApp } from './commands.app.js';

/** The commands service in this process, over a broker of the test's own. */
export interface CommandsUnderTest {
  readonly app: INestMicroservice;
  /** Not started: what it publishes would be among what a test loses on purpose. */
  readonly judge: LeaseJudge;
  readonly events: JetStreamEventStore;
  close(): Promise<void>;
}

/** @param link the service's own connection; who opened it closes it, after the service. */
export const startCommands = async (
  link: NatsLink,
  tokens: readonly BootstrapToken[],
  windows: Windows,
): Promise<CommandsUnderTest> => {
  await assertTopology(link, { mode: 'create', replicas: 1 });
  const events = new JetStreamEventStore(link);
  const aggregates = new AggregateStore(events);
  await ensureFirstEpoch(events, 'service:commands', systemClock.now());
  await issueBootstrapTokens(aggregates, tokens, systemClock);
  const judge = new LeaseJudge(link, 'commands-test', windows);
  const app = await createCommandsApp({
    backbone: { link, events, aggregates },
    judge,
    config: { service: 'commands', windows },
    keys: new WorkspaceKeys(new Uint8Array(32).fill(1)),
    logger: createLogger({ service: 'commands', instance: 'test', logLevel: 'silent' }),
    metrics: new Metrics('commands'),
  });
  await app.listen();
  return {
    app,
    judge,
    events,
    close: async () => {
      await app.close();
      await judge.stop();
    },
  };
};

/** A node that joins with these agents. */
export const joinOf = (
  agents: readonly string[],
  over: Partial<JoinRequest> = {},
): JoinRequest => ({
  journalId: 'journal-1',
  incarnation: 'incarnation-1',
  name: 'a node',
  capabilities: [],
  capacity: 0,
  maxRuns: 16,
  agents: agents.map((name) => ({
    name,
    runtime: 'cli',
    attempts: 'single',
    deduplicatesByKey: false,
    readBackByKey: false,
    interruptible: true,
    outlivesClient: false,
    promptBy: 'argument',
  })),
  ...over,
});
