import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestMicroservice } from '@nestjs/common';
import { issueBootstrapTokens } from '#access/command';
import type {
  AgentView,
  NodeView,
  OutputView,
  Page,
  ProjectionView,
  ReadSideSystemView,
  RunDetailView,
  RunView,
  SessionView,
  StopView,
  SpawnDetailView,
  SpawnView,
  TimelineEntryView,
  UnknownItemView,
} from '#contracts';
import { AggregateStore } from '#event-store';
import type { DomainEvent } from '#kernel';
import {
  JetStreamEventFeed,
  JetStreamEventStore,
  LeaseJudge,
  LeaseKeeper,
  OutputWriter,
  RequestClient,
  assertTopology,
  connectLink,
  outputSubject,
  type Answer,
  type NatsLink,
} from '#nats';
import { agentsProjection } from '#agents/projection';
import { nodesProjection } from '#nodes/projection';
import { DEFAULT_WINDOWS, Metrics, createLogger, systemClock, tokenHash } from '#platform';
import { AdvisoryLocks, Database, ProjectionGroup, migrate } from '#postgres';
import { RunsProjection } from '#runs/projection';
import { sessionsProjection } from '#sessions/projection';
import { SpawnsProjection } from '#spawns/projection';
import {
  natsServerUnderTest,
  postgresUnderTest,
  waitUntil,
  type NatsServerUnderTest,
  type PostgresUnderTest,
} from '#testing';
import { MIGRATIONS } from '../../../migrations/index.js';
import { createQueriesApp } from './queries.app.js';
import type { ChangesView } from './read-models.queries.js';
import { TABLES } from './tables.js';

const WINDOWS = { ...DEFAULT_WINDOWS, leaseMs: 600, renewalMs: 200 };
const OPERATOR = 'operator-token-of-this-test';
const VIEWER = 'viewer-token-of-this-test';
const OTHERS = 'token-of-another-workspace';

let nats: NatsServerUnderTest;
let postgres: PostgresUnderTest;
let link: NatsLink;
let store: JetStreamEventStore;
let database: Database;
let judge: LeaseJudge;
let app: INestMicroservice;
let locks: AdvisoryLocks;
const ending = new AbortController();
let projecting: Promise<void>;
let isPaused = false;

beforeAll(async () => {
  [nats, postgres] = await Promise.all([natsServerUnderTest(), postgresUnderTest()]);
  link = await connectLink({ url: nats.url, name: 'queries' });
  await assertTopology(link, { mode: 'create', replicas: 1 });
  store = new JetStreamEventStore(link);
  const aggregates = new AggregateStore(store);
  const callerOf = (role: 'operator' | 'viewer', workspace = 'main') =>
    ({ principal: `user:${role}`, role, workspace }) as const;
  await issueBootstrapTokens(
    aggregates,
    [
      { tokenHash: tokenHash(OPERATOR), caller: callerOf('operator') },
      { tokenHash: tokenHash(VIEWER), caller: callerOf('viewer') },
      { tokenHash: tokenHash(OTHERS), caller: callerOf('operator', 'other') },
    ],
    systemClock,
  );
  await migrate({ url: postgres.url, migrations: MIGRATIONS });
  const options = { url: postgres.url, applicationName: 'queries' };
  database = await Database.open({ ...options, entities: TABLES });
  locks = new AdvisoryLocks(options);
  const feed = new JetStreamEventFeed(link);
  const group = new ProjectionGroup({
    database,
    store,
    locks,
    projections: [
      new RunsProjection(database),
      sessionsProjection(database),
      agentsProjection(database),
      nodesProjection(database),
      new SpawnsProjection(database),
    ],
    // Rows can be held back, to ask for what is not there yet.
    feed: {
      async *follow(how) {
        for await (const batch of feed.follow(how)) {
          await waitUntil('the projector to go on', () => !isPaused, 60_000);
          yield batch;
        }
      },
    },
    observer: {
      written: () => undefined,
      finding: () => undefined,
      problem: () => undefined,
    },
  });
  projecting = group.run(ending.signal);
  judge = new LeaseJudge(link, 'queries-test', WINDOWS);
  judge.start();
  app = await createQueriesApp({
    backbone: { link, events: store, aggregates },
    judge,
    database,
    config: { service: 'queries', windows: WINDOWS },
    logger: createLogger({ service: 'queries', instance: 'test', logLevel: 'silent' }),
    metrics: new Metrics('queries'),
  });
  await app.listen();
}, 120_000);
afterAll(async () => {
  isPaused = false;
  ending.abort();
  await app?.close();
  await projecting;
  await judge?.stop();
  await locks?.close();
  await database?.close();
  await link?.close();
  await nats?.stop();
  await postgres?.stop();
});

const ask = <Value>(
  query: string,
  body: unknown = {},
  token: string | null = OPERATOR,
): Promise<Answer<Value>> =>
  new RequestClient(link).request<Value>(`hf.qry.${query}`, body, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    timeoutMs: 10_000,
  });
const answer = async <Value>(query: string, body: unknown = {}, token?: string): Promise<Value> => {
  const got = await ask<Value>(query, body, token);
  if (got.kind !== 'answer') throw new Error(`${query}: ${JSON.stringify(got)}`);
  return got.value;
};
const refusal = async (
  query: string,
  body: unknown = {},
  token?: string | null,
): Promise<string> => {
  const got = await ask(query, body, token);
  return got.kind === 'refused' ? got.error.code : `${got.kind}: ${JSON.stringify(got)}`;
};

/** Appends one commit to an aggregate of the workspace `main`. */
const append = async (aggregate: string, id: string, ...events: DomainEvent[]): Promise<number> => {
  const ref = { aggregate, workspace: 'main', id };
  const commits = await store.read(ref, { consistency: 'leader' });
  const expected = commits[commits.length - 1]?.revision ?? 0;
  const { revision } = await store.append({
    ref,
    expected,
    commandId: randomUUID(),
    events,
    metadata: { command: 'Any', actor: 'user:ada' },
  });
  return revision;
};
const projected = async (): Promise<void> => {
  const end = await store.end();
  await waitUntil('the rows to be current', async () => {
    const { items } = await answer<Page<ProjectionView>>('projections.list');
    return items.length === 5 && items.every(({ position }) => position >= end);
  });
};

const submit = async (
  over: { session?: string; agent?: string; node?: string; at?: number } = {},
): Promise<string> => {
  const runId = randomUUID();
  await append('run', runId, {
    type: 'RunSubmitted',
    data: {
      runId,
      at: over.at ?? Date.now(),
      sessionId: over.session ?? runId,
      opensSession: over.session === undefined,
      agent: over.agent ?? 'echo',
      node: over.node ?? 'n1',
      runClass: {
        runtime: 'cli',
        attempts: 'single',
        deduplicatesByKey: false,
        readBackByKey: false,
        interruptible: true,
        outlivesClient: false,
      },
      prompt: `the prompt of ${runId}`,
      principal: 'user:ada',
      fingerprint: 'v1:secret',
      epoch: 1,
    },
  });
  return runId;
};
const at = 1_764_400_000_000;
const dispatched = (runId: string): DomainEvent => ({
  type: 'RunDispatched',
  data: {
    runId,
    at,
    epoch: 1,
    generation: 1,
    kind: 'initial',
    node: 'n1',
    journalId: 'j1',
    startBefore: at,
    askAt: at,
  },
});
const claimed = (runId: string): DomainEvent => ({
  type: 'RunClaimed',
  data: { runId, at, generation: 1, journalId: 'j1', incarnation: 'i1', attempt: 1 },
});
const completed = (runId: string, bytes = 0): DomainEvent => ({
  type: 'RunCompleted',
  data: {
    runId,
    at,
    generation: 1,
    exitCode: 0,
    output: { bytes, sha256: 'a'.repeat(64), truncated: false },
    receipts: {},
    settledBy: 'node',
  },
});
const unknown = (runId: string, fenced = false): DomainEvent => ({
  type: 'RunOutcomeUnknown',
  data: {
    runId,
    at,
    generation: 1,
    code: 'RUN_OUTCOME_UNKNOWN',
    witness: 'saga',
    evidence: { reason: 'node n1 did not answer', node: 'n1', journalId: 'j1', receipts: {} },
    fenced,
  },
});

describe('whoever asks', () => {
  it('must have a token, and learns who it stands for', async () => {
    expect(await answer('access.identify', {}, VIEWER)).toEqual({
      principal: 'user:viewer',
      role: 'viewer',
      workspace: 'main',
    });
  });

  it.each([
    'runs.list',
    'runs.get',
    'runs.timeline',
    'runs.output',
    'sessions.get',
    'agents.list',
    'agents.get',
    'nodes.list',
    'nodes.get',
    'unknowns.list',
    'projections.list',
    'stops.get',
    'changes.list',
    'system.get',
    'access.identify',
  ])('%s: is refused without a token and with a wrong one', async (query) => {
    expect(await refusal(query, {}, null)).toBe('unauthenticated');
    expect(await refusal(query, {}, 'no-such-token')).toBe('unauthenticated');
  });

  it.each([
    ['runs.list', { limit: 0 }],
    ['runs.list', { limit: 201 }],
    ['runs.list', { status: ['lost'] }],
    ['runs.list', { cursor: 'bm90IGEgY3Vyc29y' }],
    ['runs.list', { since: 'yesterday' }],
    ['runs.list', { prompt: 'x' }],
    ['runs.list', []],
    ['runs.list', 'text'],
    ['runs.get', {}],
    ['runs.get', { id: 'no-uuid' }],
    ['runs.timeline', { id: randomUUID(), after: -1 }],
    ['runs.output', { id: randomUUID(), limit: 1.5 }],
    ['sessions.get', { id: 7 }],
    ['agents.list', { cursor: 'WzFd' }],
    ['agents.get', { id: 'a b' }],
    ['nodes.list', { node: 'n1' }],
    ['nodes.get', { id: '*' }],
    ['unknowns.list', { status: 'running' }],
    ['unknowns.list', { cursor: 's' }],
    ['unknowns.list', { cursor: 'WzFd' }],
    ['unknowns.list', { cursor: 'sbm9uZQ' }],
    ['unknowns.list', { cursor: 'rbm9uZQ' }],
    ['projections.list', { name: 'runs' }],
    ['stops.get', { id: '../x' }],
    ['changes.list', { after: 'r1.n2' }],
    ['access.identify', { token: 'x' }],
  ])('%s %j: is told what is wrong with it', async (query, body) => {
    expect(await refusal(query, body)).toBe('invalid_request');
  });

  it.each(['runs.get', 'runs.timeline', 'runs.output', 'sessions.get', 'stops.get'])(
    '%s: finds nothing of another workspace',
    async (query) => {
      const runId = await submit();
      await append('stop', runId, {
        type: 'StopRequested',
        data: {
          stopId: runId,
          target: { kind: 'run', id: runId },
          reason: 'r',
          principal: 'p',
          fingerprint: 'f',
          at,
        },
      });
      await projected();
      expect((await ask(query, { id: runId })).kind).toBe('answer');
      const code = `${query.split('.')[0]!.slice(0, -1)}_not_found`;
      expect(await refusal(query, { id: runId }, OTHERS)).toBe(code);
      expect(await refusal(query, { id: randomUUID() })).toBe(code);
    },
  );
});

describe('a run', () => {
  it('that was just accepted is found at once, before any row has it', async () => {
    isPaused = true;
    const runId = await submit();
    const view = await answer<RunDetailView>('runs.get', { id: runId });
    isPaused = false;
    expect(view).toMatchObject({
      runId,
      sessionId: runId,
      status: 'queued',
      waitsFor: 'node n1 to come online',
      prompt: `the prompt of ${runId}`,
      unknown: null,
      settledBy: null,
    });
    await projected();
    expect(await answer('runs.get', { id: runId })).toEqual(view);
  });

  it('shows what happened to it from its stream, without prompt and fingerprint', async () => {
    const runId = await submit({ at });
    await append('run', runId, dispatched(runId));
    const last = await append('run', runId, claimed(runId), completed(runId));
    const { items, nextCursor } = await answer<Page<TimelineEntryView>>('runs.timeline', {
      id: runId,
    });
    expect(items.map(({ type }) => type)).toEqual([
      'RunSubmitted',
      'RunDispatched',
      'RunClaimed',
      'RunCompleted',
    ]);
    expect(nextCursor).toBeNull();
    expect(items[3]).toEqual({
      sequence: last,
      at: '2025-11-29T07:06:40.000Z',
      type: 'RunCompleted',
      actor: 'user:ada',
      command: 'Any',
      data: completed(runId).data,
    });
    expect(JSON.stringify(items)).not.toMatch(/the prompt of|secret/);
    const page = await answer<Page<TimelineEntryView>>('runs.timeline', { id: runId, limit: 3 });
    expect(page.items).toHaveLength(4); // A commit is never cut.
    const first = await answer<Page<TimelineEntryView>>('runs.timeline', { id: runId, limit: 2 });
    const rest = await answer<Page<TimelineEntryView>>('runs.timeline', {
      id: runId,
      after: Number(first.nextCursor),
    });
    expect([...first.items, ...rest.items]).toEqual(items);
  });

  it('shows its output as far as it was kept', async () => {
    const runId = await submit();
    const writer = new OutputWriter(link);
    const write = (offset: number, text: string, node = 'n1'): Promise<void> =>
      writer.write({
        workspace: 'main',
        run: runId,
        node,
        generation: 1,
        offset,
        data: Buffer.from(text),
        journal: 'j1',
      });
    await write(0, 'one ');
    await write(0, 'one two ');
    await write(8, 'three');
    await write(13, ' forged', 'n2'); // The run is on n1.
    const open = await answer<OutputView>('runs.output', { id: runId });
    expect(open.items.map(({ data }) => Buffer.from(data, 'base64').toString()).join('')).toBe(
      'one two three',
    );
    expect(open).toMatchObject({ complete: false, missingBytes: 0, truncated: false });
    await append('run', runId, dispatched(runId), claimed(runId), completed(runId, 13));
    await projected();
    const whole = await answer<OutputView>('runs.output', { id: runId, after: open.next });
    expect(whole).toMatchObject({ items: [], next: open.next, complete: true, missingBytes: 0 });
    await write(13, ' forged later', 'n2');
    link.connection.publish(outputSubject({ workspace: 'main', run: runId, node: 'n1' }), 'junk');
    await link.connection.flush();
    const again = await answer<OutputView>('runs.output', { id: runId });
    expect(again).toMatchObject({ items: open.items, next: open.next, complete: true });
  });
});

describe('lists of runs', () => {
  it('are paged newest first, and show each once whatever comes in between', async () => {
    const agent = `paged-${randomUUID().slice(0, 8)}`;
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.unshift(await submit({ agent, at: at + (n >> 1) })); // Some at the same moment.
    await projected();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<RunView> = await answer('runs.list', {
        agent,
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      });
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ runId }) => runId));
      cursor = page.nextCursor;
      await submit({ agent, at: at + 1_000 });
      await projected();
    } while (cursor !== null);
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(new Set(seen).size).toBe(7);
  });

  it('are narrowed by status, agent, node, session and time', async () => {
    const agent = `narrow-${randomUUID().slice(0, 8)}`;
    const node = agent;
    const one = await submit({ agent, node, at });
    const other = await submit({ agent, at: at + 60_000 });
    await append('run', other, dispatched(other));
    await projected();
    const list = async (filter: object): Promise<string[]> =>
      (await answer<Page<RunView>>('runs.list', { agent, ...filter })).items.map(
        ({ runId }) => runId,
      );
    expect(await list({})).toEqual([other, one]);
    expect(await list({ status: ['queued'] })).toEqual([one]);
    expect(await list({ status: ['dispatched', 'running'] })).toEqual([other]);
    expect(await list({ node })).toEqual([one]);
    expect(await list({ session: other })).toEqual([other]);
    expect(await list({ since: new Date(at + 1).toISOString() })).toEqual([other]);
    expect((await answer<Page<RunView>>('runs.list', { agent }, OTHERS)).items).toEqual([]);
  });

  it('of unknown outcomes say why, and what can be done', async () => {
    const runId = await submit();
    await append('run', runId, dispatched(runId), claimed(runId), unknown(runId));
    await projected();
    const { items } = await answer<Page<UnknownItemView>>('unknowns.list', {}, VIEWER);
    const listed = items.filter((item) => 'runId' in item);
    expect(listed.every(({ status }) => status === 'unknown')).toBe(true);
    const found = listed.find((one) => one.runId === runId)!;
    expect(found).toMatchObject({
      code: 'RUN_OUTCOME_UNKNOWN',
      waitsFor: 'proof from node n1, or an operator; the node is silent',
      unknown: { witness: 'saga', reason: 'node n1 did not answer', fenced: false },
    });
    expect(found.unknown?.advice).toContain('may still run on node n1');
  });
});

describe('a session', () => {
  it('that only its opener used belongs to it', async () => {
    const runId = await submit({ agent: 'ticker' });
    expect(await answer('sessions.get', { id: runId })).toEqual({
      sessionId: runId,
      agent: 'ticker',
      activeRunId: runId,
      queue: [],
      waitsFor: null,
    });
  });

  it('says who waits, and for what; so does each run that waits', async () => {
    const opener = await submit();
    await append('run', opener, dispatched(opener), claimed(opener), unknown(opener));
    const waiting = [await submit({ session: opener }), await submit({ session: opener })];
    for (const runId of waiting)
      await append('session', opener, {
        type: 'SessionRunQueued',
        data: { sessionId: opener, at, runId, admitted: false, releases: null },
      });
    await projected();
    const session = await answer<SessionView>('sessions.get', { id: opener });
    expect(session).toMatchObject({ activeRunId: opener, queue: waiting });
    expect(session.waitsFor).toContain(`proof of what became of run ${opener}`);
    const { items } = await answer<Page<RunView>>('runs.list', {
      session: opener,
      status: ['queued'],
    });
    const words = Object.fromEntries(items.map((run) => [run.runId, run.waitsFor]));
    const why = `run ${opener}, whose outcome is unknown and which may still run`;
    expect(words).toEqual({ [waiting[0]!]: why, [waiting[1]!]: `${why}, and 1 more before it` });
  });

  it('is none of a run that queued in another one', async () => {
    const opener = await submit();
    const named = await submit({ session: opener });
    expect(await refusal('sessions.get', { id: named })).toBe('session_not_found');
  });
});

describe('nodes and agents', () => {
  const joined = async (nodeId: string): Promise<void> => {
    await append(
      'node',
      nodeId,
      {
        type: 'NodeJoined',
        data: {
          nodeId,
          at,
          name: nodeId,
          capabilities: ['gpu'],
          capacity: 1,
          maxRuns: 4,
          agents: ['echo'],
          journalId: 'j1',
        },
      },
      { type: 'NodeStarted', data: { nodeId, at, incarnation: 'i1' } },
    );
  };

  it('are judged when somebody asks: alive while the lease is renewed, silent after it expired', async () => {
    const nodeId = `node-${randomUUID().slice(0, 8)}`;
    await joined(nodeId);
    const lease = {
      journalId: 'j1',
      incarnation: 'i1',
      recovering: false,
      openCount: 1,
      openHash: 'h',
      running: 1,
      maxRuns: 4,
      waiting: 2,
    };
    const keeper = LeaseKeeper.forNode(
      link,
      { workspace: 'main', node: nodeId },
      WINDOWS,
      () => lease,
    );
    keeper.start();
    const node = (): Promise<NodeView> => answer<NodeView>('nodes.get', { id: nodeId });
    await waitUntil('it to be alive', async () => (await node()).liveness === 'alive');
    expect(await node()).toMatchObject({
      id: nodeId,
      membership: 'member',
      running: 1,
      waiting: 2,
      maxRuns: 4,
      agents: ['echo'],
      incarnation: 'i1',
    });
    await keeper.stop();
    await waitUntil('it to be silent', async () => (await node()).liveness === 'silent');
    await projected();
    const { items } = await answer<Page<NodeView>>('nodes.list');
    expect(items.find(({ id }) => id === nodeId)).toMatchObject({ liveness: 'silent', running: 0 });
    expect((await answer<Page<NodeView>>('nodes.list', {}, OTHERS)).items).toEqual([]);
    expect(await refusal('nodes.get', { id: nodeId }, OTHERS)).toBe('node_not_found');
  });

  it('agents are listed by name, page by page, and found before any row has them', async () => {
    isPaused = true;
    const prefix = `agent-${randomUUID().slice(0, 8)}`;
    const names = ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`);
    for (const name of names)
      await append('agent', name, {
        type: 'AgentRegistered',
        data: {
          at,
          binding: {
            name,
            node: prefix,
            runtime: 'cli',
            attempts: 'single',
            deduplicatesByKey: false,
            readBackByKey: false,
            interruptible: true,
            outlivesClient: false,
            promptBy: 'stdin',
          },
        },
      });
    const found = await answer<AgentView>('agents.get', { id: names[0] });
    isPaused = false;
    expect(found).toEqual({
      name: names[0],
      node: prefix,
      status: 'registered',
      runtime: 'cli',
      attempts: 'single',
      capabilities: {
        deduplicatesByKey: false,
        readBackByKey: false,
        interruptible: true,
        outlivesClient: false,
      },
      promptBy: 'stdin',
      registeredAt: '2025-11-29T07:06:40.000Z',
    });
    await projected();
    const first = await answer<Page<AgentView>>('agents.list', { node: prefix, limit: 2 });
    const second = await answer<Page<AgentView>>('agents.list', {
      node: prefix,
      limit: 2,
      cursor: first.nextCursor,
    });
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(names);
    expect(second.nextCursor).toBeNull();
    expect(await refusal('agents.get', { id: names[0] }, OTHERS)).toBe('agent_not_found');
  });
});

describe('spawns', () => {
  const place = { token: 'secret-token', until: at + 30_000 };
  const claim = async (over: object = {}): Promise<string> => {
    const spawnId = randomUUID();
    const asked = {
      kind: 'strict',
      contract: 'relay.spawn.invoke.logical/1',
      principal: 'agent:caller',
      key: 'secret-key',
      fingerprint: 'v1:secret',
      nodeId: 'n1',
      nodeName: 'builder',
      capabilities: [],
      agentName: 'reviewer',
      harness: 'cli',
      task: `the task of ${spawnId}`,
      directory: null,
      verifyReady: false,
      epoch: 1,
      ...over,
    };
    await append(
      'spawn',
      spawnId,
      { type: 'SpawnClaimed', data: { spawnId, at, ...asked } },
      {
        type: 'SpawnPlacementIntended',
        data: { spawnId, at, round: 1, nodeId: asked.nodeId, ...place },
      },
    );
    return spawnId;
  };
  const reserved = (spawnId: string, nodeId: string): DomainEvent => ({
    type: 'SlotReserved',
    data: {
      ...{ nodeId, at, spawnId, round: 1, ...place },
      snapshot: { nodeName: 'builder', agentName: 'reviewer', harness: 'cli' },
    },
  });
  const unknownSpawn = (spawnId: string): DomainEvent => ({
    type: 'SpawnSettledUnknown',
    data: {
      ...{ spawnId, at, code: 'spawn_outcome_unknown', witness: 'saga' },
      evidence: {
        ...{ reason: 'silence', nodeId: 'n1', journalId: 'j1' },
        ...{ incarnation: 'i1', lastHeardAt: at },
      },
    },
  });
  const nodeOf = async (nodeId: string, slots: readonly DomainEvent[]): Promise<void> => {
    const joined = { name: 'builder', capabilities: [], capacity: 2, maxRuns: 4, agents: [] };
    await append(
      'node',
      nodeId,
      {
        type: 'NodeJoined',
        data: { nodeId, at, ...joined, harnesses: ['cli'], journalId: 'j1' },
      },
      { type: 'NodeDrained', data: { nodeId, at, reason: 'repair', actor: 'user:ada' } },
      ...slots,
    );
  };
  const listed = async (query: object): Promise<readonly string[]> =>
    (await answer<Page<SpawnView>>('spawns.list', query)).items.map(({ spawnId }) => spawnId);

  it('one that was just accepted is found at once, before any row has it', async () => {
    isPaused = true;
    const spawnId = await claim();
    const found = await answer<SpawnDetailView>('spawns.get', { id: spawnId });
    isPaused = false;
    expect([found.status, found.task]).toEqual(['pending', `the task of ${spawnId}`]);
    await projected();
    expect(await answer('spawns.get', { id: spawnId })).toEqual(found);
    expect(await refusal('spawns.get', { id: spawnId }, OTHERS)).toBe('spawn_not_found');
    expect(await refusal('spawns.timeline', { id: spawnId }, OTHERS)).toBe('spawn_not_found');
    expect(await refusal('spawns.get', { id: randomUUID() })).toBe('spawn_not_found');
  });

  it('show what happened from their streams, without task, key, token and fingerprint (@SP-36)', async () => {
    const spawnId = await claim();
    const { items } = await answer<Page<TimelineEntryView>>('spawns.timeline', { id: spawnId });
    expect(items.map(({ type }) => type)).toEqual(['SpawnClaimed', 'SpawnPlacementIntended']);
    expect(items[1]?.data).toEqual({ spawnId, at, round: 1, nodeId: 'n1', until: place.until });
    expect(JSON.stringify(items)).not.toMatch(/secret|the task of/);
  });

  it('are narrowed by status, node, kind, and to those that wait for an answer', async () => {
    const node = `node-${randomUUID().slice(0, 8)}`;
    const generic = { kind: 'generic', contract: null, nodeName: null };
    const one = await claim({ nodeId: node });
    const other = await claim({ nodeId: node, ...generic });
    const lost = await claim({ nodeId: node });
    await append('spawn', lost, unknownSpawn(lost));
    await projected();
    const byId = (...ids: readonly string[]) => [...ids].sort().reverse(); // Claimed at the same moment.
    expect(await listed({ node })).toEqual(byId(one, other, lost));
    expect(await listed({ node, kind: 'generic' })).toEqual([other]);
    expect(await listed({ node, status: ['failed'] })).toEqual([lost]);
    expect(await listed({ node, status: ['pending', 'completed'] })).toEqual(byId(one, other));
    expect(await listed({ node, unknown: true })).toEqual([lost]);
    expect(await listed({ node, unknown: false })).toEqual(byId(one, other));
    const first = await answer<Page<SpawnView>>('spawns.list', { node, limit: 2 });
    const rest = await listed({ node, limit: 2, cursor: first.nextCursor });
    expect([...first.items.map(({ spawnId }) => spawnId), ...rest]).toEqual(byId(one, other, lost));
    expect((await answer<Page<SpawnView>>('spawns.list', { node }, OTHERS)).items).toEqual([]);
    expect(await refusal('spawns.list', { cursor: 'bm9uZQ' })).toBe('invalid_request');
  });

  it('wait for an operator in one list with runs, before them, until somebody answers', async () => {
    const node = `node-${randomUUID().slice(0, 8)}`;
    const idsOf = (items: readonly UnknownItemView[]) =>
      items.map((item) => ('spawnId' in item ? item.spawnId : item.runId));
    const unknowns = async (query: object) => {
      const page = await answer<Page<UnknownItemView>>('unknowns.list', { node, ...query }, VIEWER);
      return { ids: idsOf(page.items), nextCursor: page.nextCursor };
    };
    const lost = await claim({ nodeId: node });
    await append('spawn', lost, unknownSpawn(lost));
    await claim({ nodeId: node });
    await projected();
    expect(await unknowns({ limit: 1 })).toEqual({ ids: [lost], nextCursor: null });
    const [older, newer] = [await submit({ node, at }), await submit({ node, at: at + 1 })];
    for (const runId of [older, newer])
      await append('run', runId, dispatched(runId), claimed(runId), unknown(runId));
    await submit({ node });
    await projected();
    expect(await unknowns({})).toEqual({ ids: [lost, newer, older], nextCursor: null });
    expect((await unknowns({ limit: 2 })).ids).toEqual([lost, newer]);
    const first = await unknowns({ limit: 1 });
    expect(first).toEqual({ ids: [lost], nextCursor: 'r' });
    const second = await unknowns({ limit: 1, cursor: first.nextCursor });
    expect(second).toEqual({ ids: [newer], nextCursor: expect.stringMatching(/^r./) });
    const third = await unknowns({ limit: 1, cursor: second.nextCursor });
    expect(third).toEqual({ ids: [older], nextCursor: null });
    expect((await answer<Page<UnknownItemView>>('unknowns.list', { node }, OTHERS)).items).toEqual(
      [],
    );
    const another = await claim({ nodeId: node, agentName: 'another' });
    await append('spawn', another, unknownSpawn(another));
    await projected();
    const [one, other] = [lost, another].sort().reverse(); // Claimed at the same moment.
    const begun = await unknowns({ limit: 1 });
    expect(begun).toEqual({ ids: [one], nextCursor: expect.stringMatching(/^s./) });
    const over = await unknowns({ limit: 2, cursor: begun.nextCursor });
    expect(over).toEqual({ ids: [other, newer], nextCursor: expect.stringMatching(/^r./) });
    await append('spawn', lost, {
      type: 'SpawnResolved',
      data: { spawnId: lost, at, as: 'free', note: 'it is gone', actor: 'user:ada' },
    });
    await projected();
    expect((await unknowns({})).ids).toEqual([another, newer, older]);
  });

  it('say what they wait for, and their node says who holds its places, and why', async () => {
    const node = `node-${randomUUID().slice(0, 8)}`;
    const [waiting, lost, runs] = [
      await claim({ nodeId: node }),
      await claim({ nodeId: node }),
      await claim({ nodeId: node }),
    ];
    await append('spawn', lost, unknownSpawn(lost));
    await append('spawn', runs, {
      type: 'SpawnCompleted',
      data: { spawnId: runs, at, generation: 1, evidence: 'pid 7', workerCwd: '/work' },
    });
    await nodeOf(node, [
      reserved(lost, node),
      reserved(runs, node),
      { type: 'SlotOccupied', data: { nodeId: node, at: at + 1, spawnId: runs, round: 1 } },
    ]);
    await append('agent', runs, {
      type: 'AgentRegistered',
      data: {
        at,
        binding: {
          ...{ name: 'reviewer', node, runtime: 'cli', attempts: 'single', spawn: runs },
          ...{ deduplicatesByKey: false, readBackByKey: false, interruptible: false },
          ...{ outlivesClient: false, promptBy: 'argument' },
        },
      },
    });
    await projected();
    const spawnOf = (id: string) => answer<SpawnDetailView>('spawns.get', { id });
    expect((await spawnOf(waiting)).waitsFor).toBe('node builder to come online');
    const unsure = await spawnOf(lost);
    expect([unsure.waitsFor, unsure.slot, unsure.agent]).toEqual([
      'its node to come back, or an operator',
      'reserved',
      'maybe',
    ]);
    const alive = await spawnOf(runs);
    expect([alive.waitsFor, alive.slot, alive.agent, alive.workerCwd]).toEqual([
      null,
      'occupied',
      'alive',
      '/work',
    ]);
    const { drained, harnesses, slots } = await answer<NodeView>('nodes.get', { id: node });
    expect({ drained, harnesses, slots }).toEqual({
      drained: { reason: 'repair', actor: 'user:ada', since: '2025-11-29T07:06:40.000Z' },
      harnesses: ['cli'],
      slots: [
        {
          ...{ spawnId: lost, agentName: 'reviewer', harness: 'cli', state: 'reserved', round: 1 },
          since: '2025-11-29T07:06:40.000Z',
          why: 'nobody could say whether reviewer was started: ask an operator or wait for the node',
        },
        {
          ...{ spawnId: runs, agentName: 'reviewer', harness: 'cli', state: 'occupied', round: 1 },
          since: '2025-11-29T07:06:40.001Z',
          why: 'agent reviewer runs',
        },
      ],
    });
    // Its agent is shown as a spawn, and is no name that work can be submitted to.
    expect((await answer<Page<AgentView>>('agents.list', { node })).items).toEqual([]);
    expect(await refusal('agents.get', { id: runs })).toBe('agent_not_found');
  });

  it('are among the changes, as callers know them', async () => {
    await projected();
    const { next } = await answer<ChangesView>('changes.list');
    const spawnId = await claim();
    const decided = { spawnId, at, round: 1, reason: 'not ready' };
    await append('spawn', spawnId, { type: 'SpawnReservationReleaseDecided', data: decided });
    await projected();
    const { items } = await answer<ChangesView>('changes.list', { after: next });
    expect(items).toEqual([{ kind: 'spawn', id: spawnId, status: 'pending' }]);
  });
});

describe('a stop', () => {
  it('says what was proven, from the streams of both', async () => {
    const runId = await submit();
    const stopId = randomUUID();
    const target = { kind: 'run', id: runId };
    await append('stop', stopId, {
      type: 'StopRequested',
      data: { stopId, target, reason: 'enough', principal: 'user:ada', fingerprint: 'f', at },
    });
    const stop = (): Promise<StopView> => answer<StopView>('stops.get', { id: stopId });
    expect(await stop()).toEqual({
      stopId,
      target,
      reason: 'enough',
      requestedBy: 'user:ada',
      requestedAt: '2025-11-29T07:06:40.000Z',
      outcome: 'pending',
      proof: null,
      remains: [],
      runStatus: 'queued',
    });
    await append(
      'run',
      runId,
      {
        type: 'RunStopRequested',
        data: { runId, at, stopId, reason: 'enough', principal: 'user:ada' },
      },
      {
        type: 'RunStopped',
        data: {
          runId,
          at,
          stopId,
          proof: 'unclaimed',
          remains: [],
          lateOutcome: null,
          settledBy: 'proof',
        },
      },
    );
    expect(await stop()).toMatchObject({
      outcome: 'proven',
      proof: 'unclaimed',
      runStatus: 'stopped',
    });
  });
});

describe('changes', () => {
  it('are told once each, as they stand, to whoever reads on', async () => {
    await projected();
    const start = await answer<ChangesView>('changes.list');
    expect(start.items).toEqual([]);
    const one = await submit();
    const other = await submit();
    await append('run', one, dispatched(one));
    await append('session', one, {
      type: 'SessionRunQueued',
      data: { sessionId: one, at, runId: other, admitted: false, releases: null },
    });
    await projected();
    const { items, next } = await answer<ChangesView>('changes.list', { after: start.next });
    expect(new Set(items.map((item) => JSON.stringify(item)))).toEqual(
      new Set([
        JSON.stringify({ kind: 'run', id: other, status: 'queued' }),
        JSON.stringify({ kind: 'run', id: one, status: 'dispatched' }),
        JSON.stringify({ kind: 'session', id: one, status: 'waiting' }),
      ]),
    );
    expect(await answer('changes.list', { after: next })).toEqual({ items: [], next });
    const pages: unknown[] = [];
    for (let after = start.next; ;) {
      const page = await answer<ChangesView>('changes.list', { after, limit: 1 });
      pages.push(...page.items);
      if (page.items.length === 0) break;
      after = page.next;
    }
    expect(pages).toEqual(items);
    expect(
      (await answer<ChangesView>('changes.list', { after: start.next }, OTHERS)).items,
    ).toEqual([]);
  });

  it('go on from where the read models are, when a position is of tables that were thrown away', async () => {
    const { next } = await answer<ChangesView>('changes.list');
    expect(await answer('changes.list', { after: next + 1_000_000 })).toEqual({ items: [], next });
  });
});

describe('projections', () => {
  it('say how far they are, and how long ago the first event was stored that they lack', async () => {
    await projected();
    isPaused = true;
    await submit();
    const end = await store.end();
    const { items } = await answer<Page<ProjectionView>>('projections.list');
    isPaused = false;
    expect(items.map(({ name }) => name)).toEqual([
      'agents',
      'nodes',
      'runs',
      'sessions',
      'spawns',
    ]);
    for (const one of items)
      expect(one).toMatchObject({
        generation: '1',
        epoch: 1,
        end,
        lag: end - one.position,
        finding: null,
      });
    expect(items.find(({ name }) => name === 'runs')!.lag).toBeGreaterThan(0);
    await projected();
    const level = await answer<Page<ProjectionView>>('projections.list');
    expect(level.items.map(({ lag, lagMs }) => [lag, lagMs])).toEqual(Array(5).fill([0, 0]));
  });
});

describe('the system', () => {
  it('is shown part by part: who is active, what each lacks, and what could not be looked at', async () => {
    const runId = await submit();
    await projected();
    const system = await answer<ReadSideSystemView>('system.get', {}, VIEWER);
    expect(system.projections.value?.map(({ name }) => name)).toEqual(
      system.holders.value?.slice(0, -2).map(({ of }) => of),
    );
    for (const { role, holder, heardMsAgo } of system.holders.value?.slice(0, -2) ?? []) {
      expect([role, holder]).toEqual(['projector', 'queries']); // As the locks of this test call themselves.
      expect(heardMsAgo).toBeLessThan(6_000);
    }
    const nobody = { role: 'reconciler', holder: null, heardMsAgo: null };
    expect(system.holders.value?.slice(-2)).toEqual([
      { ...nobody, of: 'runs' },
      { ...nobody, of: 'spawns' },
    ]);
    expect(system.broker.value?.streams.map(({ name }) => name)).toContain('HF_EVENTS');
    expect(system.database.why).toBeNull();
    expect(system.windows.value?.leaseMs).toBe(WINDOWS.leaseMs);
    const open = system.oldestRuns.value ?? [];
    const queued = await answer<Page<RunView>>('runs.list', { status: ['queued'], limit: 200 });
    expect(queued.items.map((run) => run.runId)).toContain(runId);
    expect(open.find(({ status }) => status === 'queued')?.runId).toBe(queued.items.at(-1)?.runId);
    expect(new Set(open.map(({ status }) => status)).size).toBe(open.length);
    // No saga has ever made its consumer here: that is no queue of length 0.
    expect(system.sagas).toEqual({
      value: null,
      why: 'it could not be looked at; the log of queries says why',
    });
  });
});

describe('a Postgres that is killed', () => {
  it('@FM-60 makes questions fail with a word that says to ask again; then they are answered', async () => {
    const runId = await submit();
    await projected();
    await postgres.server.kill();
    const got = await ask('runs.get', { id: runId });
    expect(got).toMatchObject({ kind: 'refused', error: { code: 'unavailable', retryable: true } });
    // What is read from streams alone needs no database.
    expect((await ask('runs.timeline', { id: runId })).kind).toBe('answer');
    await postgres.server.restart();
    await waitUntil(
      'an answer',
      async () => (await ask('runs.get', { id: runId })).kind === 'answer',
    );
  });
});
