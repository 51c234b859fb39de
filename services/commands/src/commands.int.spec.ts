import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { INestMicroservice } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueBootstrapTokens } from '#access/command';
import type { JoinRequest } from '#contracts';
import { AggregateStore } from '#event-store';
import {
  JetStreamEventStore,
  LeaseJudge,
  RequestClient,
  assertTopology,
  connectLink,
  ensureFirstEpoch,
  type Answer,
  type NatsLink,
} from '#nats';
import {
  DEFAULT_WINDOWS,
  Metrics,
  WorkspaceKeys,
  createLogger,
  systemClock,
  tokenHash,
} from '#platform';
import { natsServerUnderTest, type NatsServerUnderTest } from '#testing';
import { createCommandsApp } from './commands.app.js';

const OPERATOR = 'operator-token-of-this-test';
const VIEWER = 'viewer-token-of-this-test';
const OTHERS = 'token-of-another-workspace';

let server: NatsServerUnderTest;
let link: NatsLink;
let events: JetStreamEventStore;
let judge: LeaseJudge;
let app: INestMicroservice;

beforeAll(async () => {
  server = await natsServerUnderTest();
  link = await connectLink({ url: server.url, name: 'commands' });
  await assertTopology(link, { mode: 'create', replicas: 1 });
  events = new JetStreamEventStore(link);
  const aggregates = new AggregateStore(events);
  await ensureFirstEpoch(events, 'service:commands', systemClock.now());
  await issueBootstrapTokens(
    aggregates,
    [
      {
        tokenHash: tokenHash(OPERATOR),
        caller: { principal: 'user:ada', role: 'operator', workspace: 'main' },
      },
      {
        tokenHash: tokenHash(VIEWER),
        caller: { principal: 'user:eve', role: 'viewer', workspace: 'main' },
      },
      {
        tokenHash: tokenHash(OTHERS),
        caller: { principal: 'user:ada', role: 'agent', workspace: 'other' },
      },
    ],
    systemClock,
  );
  const windows = { ...DEFAULT_WINDOWS, leaseMs: 600, renewalMs: 200 };
  judge = new LeaseJudge(link, 'commands-test', windows);
  judge.start();
  app = await createCommandsApp({
    backbone: { link, events, aggregates },
    judge,
    config: { service: 'commands', windows },
    keys: new WorkspaceKeys(new Uint8Array(32).fill(1)),
    logger: createLogger({ service: 'commands', instance: 'test', logLevel: 'silent' }),
    metrics: new Metrics('commands'),
  });
  await app.listen();
}, 120_000);
afterAll(async () => {
  await app?.close();
  await judge?.stop();
  await link?.close();
  await server?.stop();
});

const ask = async <Value = unknown>(
  subject: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Value>> =>
  new RequestClient(link).request<Value>(subject, body, { headers, timeoutMs: 10_000 });

const as = (token: string, key: string = randomUUID()): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'idempotency-key': key,
});

const joinOf = (agents: readonly string[], over: Partial<JoinRequest> = {}): JoinRequest => ({
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

describe('commands over a real broker', () => {
  it('takes a run from its submission to its end', async () => {
    const joined = await ask('hf.cmd.nodes.join.main.n1', joinOf(['echo']));
    expect(joined.kind === 'answer' && joined.value).toMatchObject({
      epoch: 1,
      frameConsumer: 'frames-main~n1',
    });
    const submitted = await ask<{
      value: { runId: string; sessionId: string };
      replayed: boolean;
    }>('hf.cmd.runs.submit', { agent: 'echo', prompt: 'Hello' }, as(OPERATOR));
    if (submitted.kind !== 'answer') throw new Error(JSON.stringify(submitted));
    const { runId, sessionId } = submitted.value.value;
    expect(submitted.value).toEqual({
      value: { runId, sessionId: runId, status: 'queued' },
      replayed: false,
    });
    expect(sessionId).toBe(runId);
    const [first] = await events.read(
      { aggregate: 'run', workspace: 'main', id: runId },
      { consistency: 'leader' },
    );
    expect(first?.metadata.actor).toBe('user:ada');
    expect(first?.events.map(({ type }) => type)).toEqual(['RunSubmitted']);
  });
});
