import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StoredAuthenticator } from '#access/authenticator';
import type { JoinRequest, StopAnswer, SubmissionAnswer, TokenAnswer } from '#contracts';
import { AggregateStore } from '#event-store';
import type { JetStreamEventStore } from '#nats';
import { LeaseKeeper, RequestClient, connectLink, type Answer, type NatsLink } from '#nats';
import { DEFAULT_WINDOWS, systemClock, tokenHash } from '#platform';
import { RUN_AGGREGATE } from '#runs/command';
import { natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { joinOf, startCommands, type CommandsUnderTest } from './commands.fixture.js';

const WINDOWS = { ...DEFAULT_WINDOWS, leaseMs: 600, renewalMs: 200 };
const OPERATOR = 'operator-token-of-this-test';
const VIEWER = 'viewer-token-of-this-test';
const OTHERS = 'token-of-another-workspace';

let server: NatsServerUnderTest;
let link: NatsLink;
let events: JetStreamEventStore;
let commands: CommandsUnderTest;

beforeAll(async () => {
  server = await natsServerUnderTest();
  link = await connectLink({ url: server.url, name: 'commands' });
  commands = await startCommands(
    link,
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
    WINDOWS,
  );
  commands.judge.start();
  ({ events } = commands);
}, 120_000);
afterAll(async () => {
  await commands?.close();
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

/** The answer of a command that went well. */
const done = <Value>(answer: Answer<Value>): Value => {
  if (answer.kind !== 'answer') throw new Error(JSON.stringify(answer));
  return answer.value;
};
/** The code under which it was refused. */
const refusal = (answer: Answer): string =>
  answer.kind === 'refused' ? answer.error.code : `not refused: ${answer.kind}`;

const submit = async (
  request: object,
  token = OPERATOR,
  key: string = randomUUID(),
): Promise<Answer<SubmissionAnswer>> => ask('hf.cmd.runs.submit', request, as(token, key));

/** Puts a run into the state in which its node may claim it, as the saga does. */
const dispatch = async (runId: string): Promise<void> => {
  await new AggregateStore(events).execute(
    RUN_AGGREGATE,
    { workspace: 'main', id: runId },
    {
      type: 'DispatchRun',
      runId,
      generation: 1,
      node: 'n1',
      journalId: 'journal-1',
      now: systemClock.now(),
      startBefore: systemClock.now() + 10_000,
      askAt: systemClock.now() + 20_000,
      epoch: 1,
      journalsAnswered: false,
    },
    { commandId: randomUUID(), metadata: { command: 'DispatchRun', actor: 'test' } },
  );
};

const typesOf = async (runId: string): Promise<readonly string[]> => {
  const ref = { aggregate: 'run', workspace: 'main', id: runId };
  const commits = await events.read(ref, { consistency: 'leader' });
  return commits.flatMap((commit) => commit.events.map(({ type }) => type));
};

const claimOf = (runId: string, over: object = {}) => ({
  runId,
  generation: 1,
  journalId: 'journal-1',
  incarnation: 'incarnation-1',
  ...over,
});
const OUTPUT = { bytes: 0, sha256: 'e'.repeat(64), truncated: false };

beforeAll(async () => {
  done(await ask('hf.cmd.nodes.join.main.n1', joinOf(['echo', 'ticker'])));
});

describe('commands over a real broker', () => {
  it('take a run from its submission to its end', async () => {
    const { value, replayed } = done(await submit({ agent: 'echo', prompt: 'Hello' }));
    const { runId } = value;
    expect({ value, replayed }).toEqual({
      value: { runId, sessionId: runId, status: 'queued' },
      replayed: false,
    });
    await dispatch(runId);
    const claim = claimOf(runId);
    expect(done(await ask('hf.cmd.runs.claim.main.n1', claim))).toEqual({ claim: 'granted' });
    expect(done(await ask('hf.cmd.runs.claim.main.n1', claim))).toEqual({ claim: 'granted' });
    const report = {
      ...claim,
      journalSequence: 7,
      kind: 'ended',
      end: { how: 'completed', exitCode: 0 },
      output: OUTPUT,
      receipts: { sent: 5 },
    };
    expect(done(await ask('hf.cmd.runs.report.main.n1', report))).toEqual({ recorded: true });
    expect(done(await ask('hf.cmd.runs.report.main.n1', report))).toEqual({ recorded: true });
    expect(await typesOf(runId)).toEqual([
      'RunSubmitted',
      'RunDispatched',
      'RunClaimed',
      'RunCompleted',
    ]);
  });

  it('let only the node of a run, and only one of its incarnations, claim it', async () => {
    const { runId } = done(await submit({ agent: 'echo', prompt: 'Hello' })).value;
    const claim = claimOf(runId);
    const answer = async (subject: string, request: object) => done(await ask(subject, request));
    const refused = { claim: 'refused', reason: 'run.claim_refused' };
    expect(await answer('hf.cmd.runs.claim.main.n1', claim)).toEqual(refused); // Not dispatched yet.
    await dispatch(runId);
    expect(await answer('hf.cmd.runs.claim.main.n2', claim)).toEqual({
      claim: 'refused',
      reason: 'run.foreign_node',
    });
    expect(
      await answer('hf.cmd.runs.claim.main.n1', claimOf(runId, { journalId: 'journal-2' })),
    ).toEqual(refused);
    expect(await answer('hf.cmd.runs.claim.main.n1', claim)).toEqual({ claim: 'granted' });
    expect(
      await answer('hf.cmd.runs.claim.main.n1', claimOf(runId, { incarnation: 'incarnation-2' })),
    ).toEqual(refused);
    expect(await answer('hf.cmd.runs.claim.main.n1', claimOf(randomUUID()))).toEqual({
      claim: 'refused',
      reason: 'run_not_found',
    });
  });

  it('stop a run for good, once', async () => {
    const { runId } = done(await submit({ agent: 'echo', prompt: 'Hello' })).value;
    const stop = { target: { kind: 'run', id: runId }, reason: 'enough' };
    const key = randomUUID();
    const first = done(await ask<StopAnswer>('hf.cmd.stops.request', stop, as(OPERATOR, key)));
    expect(first.replayed).toBe(false);
    expect(done(await ask('hf.cmd.stops.request', stop, as(OPERATOR, key)))).toEqual({
      value: first.value,
      replayed: true,
    });
    const changed = { ...stop, reason: 'another reason' };
    expect(refusal(await ask('hf.cmd.stops.request', changed, as(OPERATOR, key)))).toBe(
      'idempotency_conflict',
    );
    done(await ask('hf.cmd.stops.request', changed, as(OPERATOR))); // It has settled: no news.
    expect(await typesOf(runId)).toEqual(['RunSubmitted', 'RunStopRequested', 'RunStopped']);
  });

  it('let an operator settle what is unknown, and nothing else', async () => {
    const { runId } = done(await submit({ agent: 'echo', prompt: 'Hello' })).value;
    const resolution = { runId, as: 'failed', note: 'seen in the log' };
    const key = randomUUID();
    expect(refusal(await ask('hf.cmd.runs.resolve', resolution, as(OPERATOR, key)))).toBe(
      'run_not_unknown',
    );
    await dispatch(runId);
    done(await ask('hf.cmd.runs.claim.main.n1', claimOf(runId)));
    const report = { ...claimOf(runId), journalSequence: 1, kind: 'ended', output: OUTPUT };
    const lost = { ...report, end: { how: 'lost', reason: 'no exit' }, receipts: {} };
    done(await ask('hf.cmd.runs.report.main.n1', lost));
    const resolved = { value: { runId, status: 'failed' }, replayed: false };
    expect(done(await ask('hf.cmd.runs.resolve', resolution, as(OPERATOR, key)))).toEqual(resolved);
    expect(done(await ask('hf.cmd.runs.resolve', resolution, as(OPERATOR, key)))).toEqual({
      ...resolved,
      replayed: true,
    });
    const changed = { ...resolution, note: 'something else' };
    expect(refusal(await ask('hf.cmd.runs.resolve', changed, as(OPERATOR, key)))).toBe(
      'idempotency_conflict',
    );
    expect(refusal(await ask('hf.cmd.runs.resolve', resolution, as(OPERATOR)))).toBe(
      'run_not_unknown',
    );
  });

  it('queue a run in a session that is named, behind the one that holds it', async () => {
    const { runId: first } = done(await submit({ agent: 'echo', prompt: '1' })).value;
    const second = done(await submit({ agent: 'echo', prompt: '2', session: first })).value;
    expect(second.sessionId).toBe(first);
    const [commit] = await events.read(
      { aggregate: 'session', workspace: 'main', id: first },
      { consistency: 'leader' },
    );
    expect(commit?.events.map(({ data }) => data)).toEqual([
      {
        sessionId: first,
        runId: second.runId,
        admitted: false,
        releases: null,
        at: (commit?.events[0]?.data as { at: number }).at,
      },
    ]);
  });
});

describe('who may come in', () => {
  it('is whom an operator lets in, until an operator says otherwise', async () => {
    const key = randomUUID();
    const request = { principal: 'user:new', role: 'agent' };
    const issued = done(
      await ask<TokenAnswer>('hf.cmd.access.issue-token', request, as(OPERATOR, key)),
    );
    const again = done(
      await ask<TokenAnswer>('hf.cmd.access.issue-token', request, as(OPERATOR, key)),
    );
    expect(again).toEqual({ value: issued.value, replayed: true });
    expect(
      refusal(
        await ask('hf.cmd.access.issue-token', { ...request, role: 'operator' }, as(OPERATOR, key)),
      ),
    ).toBe('idempotency_conflict');
    const { token, tokenHash: hash } = issued.value;
    done(await submit({ agent: 'echo', prompt: 'Hello' }, token));
    expect(refusal(await ask('hf.cmd.access.issue-token', request, as(token)))).toBe('forbidden');
    done(await ask('hf.cmd.access.revoke-token', { tokenHash: hash }, as(OPERATOR)));
    // A process that has just seen the token may take it for valid a little longer; a new one does not.
    const other = new StoredAuthenticator(new AggregateStore(events), () => performance.now());
    await expect(other.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('has a workspace, and the same key in another one is another run', async () => {
    done(await ask('hf.cmd.nodes.join.other.n9', joinOf(['echo'], { journalId: 'journal-9' })));
    const key = randomUUID();
    const here = done(await submit({ agent: 'echo', prompt: 'Hello' }, OPERATOR, key)).value;
    const there = done(await submit({ agent: 'echo', prompt: 'Hello' }, OTHERS, key)).value;
    expect(there.runId).not.toBe(here.runId);
    const stop = { target: { kind: 'run', id: here.runId }, reason: 'not mine' };
    expect(refusal(await ask('hf.cmd.stops.request', stop, as(OTHERS)))).toBe('run_not_found');
  });
});

describe('a node that joins', () => {
  it('again changes nothing; with other agents it changes what can be asked of it', async () => {
    const join = joinOf(['one', 'two'], { journalId: 'journal-a' });
    const first = done(await ask('hf.cmd.nodes.join.main.na', join));
    expect(first).toEqual({
      epoch: 1,
      frameConsumer: 'frames-main~na',
      joinedAt: (first as { joinedAt: number }).joinedAt,
    });
    const end = await events.end();
    expect(done(await ask('hf.cmd.nodes.join.main.na', join))).toEqual(first);
    expect(await events.end()).toBe(end);
    done(await submit({ agent: 'two', prompt: 'Hello' }));
    done(await ask('hf.cmd.nodes.join.main.na', joinOf(['one'], { journalId: 'journal-a' })));
    expect(refusal(await submit({ agent: 'two', prompt: 'Hello' }))).toBe('agent_not_found');
  });

  it.each<[string, string, JoinRequest, string]>([
    [
      'offers what another node offers',
      'hf.cmd.nodes.join.main.nb',
      joinOf(['echo'], { journalId: 'journal-b' }),
      'agent_bound_elsewhere',
    ],
    [
      'has the id of a node in another workspace',
      'hf.cmd.nodes.join.other.n1',
      joinOf(['mine'], { journalId: 'journal-c' }),
      'node_id_taken',
    ],
  ])('and %s is refused, and nothing is written', async (_what, subject, join, code) => {
    const end = await events.end();
    expect(refusal(await ask(subject, join))).toBe(code);
    expect(await events.end()).toBe(end);
  });

  it('with another journal is refused while the lease of the first one lives', async () => {
    const join = joinOf(['leased'], { journalId: 'journal-d' });
    done(await ask('hf.cmd.nodes.join.main.nd', join));
    const lease = LeaseKeeper.forNode(link, { workspace: 'main', node: 'nd' }, WINDOWS, () => ({
      journalId: 'journal-d',
      incarnation: 'incarnation-1',
      recovering: false,
      openCount: 0,
      openHash: '',
    }));
    expect(await lease.renew()).toBe(true);
    const end = await events.end();
    const another = { ...join, journalId: 'journal-e' };
    expect(refusal(await ask('hf.cmd.nodes.join.main.nd', another))).toBe('node_already_joined');
    expect(await events.end()).toBe(end);
    await waitUntil('the lease to expire', async () => {
      const answer = await ask('hf.cmd.nodes.join.main.nd', another);
      return answer.kind === 'answer';
    });
  });
});

describe('what can not be a request', () => {
  const submission = { agent: 'echo', prompt: 'Hello' };
  const runId = '0190b5a4-7f2c-5d3e-9a1b-0c2d3e4f5a6b';
  const SUBMIT = 'hf.cmd.runs.submit';
  const good = as(OPERATOR);
  const without = (header: string): Record<string, string> =>
    Object.fromEntries(Object.entries(good).filter(([name]) => name !== header));

  it.each<[string, string, string | Uint8Array | object, Record<string, string>, string]>([
    ['no JSON', SUBMIT, '{"agent":', good, 'malformed_json'],
    ['nothing at all', SUBMIT, '', good, 'malformed_json'],
    ['bad UTF-8', SUBMIT, new Uint8Array([0x22, 0xff, 0xfe, 0x22]), good, 'malformed_json'],
    ['deep JSON', SUBMIT, `${'['.repeat(100_000)}${']'.repeat(100_000)}`, good, 'malformed_json'],
    [
      'a huge body',
      SUBMIT,
      { ...submission, prompt: 'x'.repeat(600 * 1024) },
      good,
      'payload_too_large',
    ],
    [
      'a large prompt',
      SUBMIT,
      { ...submission, prompt: 'x'.repeat(300 * 1024) },
      good,
      'prompt_too_large',
    ],
    ['no token', SUBMIT, submission, without('authorization'), 'unauthenticated'],
    ['a wrong token', SUBMIT, submission, as('not-a-token-of-anybody'), 'unauthenticated'],
    [
      'another kind of authorization',
      SUBMIT,
      submission,
      { ...good, authorization: `Basic ${OPERATOR}` },
      'unauthenticated',
    ],
    ['a role that may not', SUBMIT, submission, as(VIEWER), 'forbidden'],
    ['no key', SUBMIT, submission, without('idempotency-key'), 'idempotency_key_required'],
    ['a long key', SUBMIT, submission, as(OPERATOR, 'x'.repeat(256)), 'invalid_idempotency_key'],
    ['a list', SUBMIT, [], good, 'invalid_request'],
    ['null', SUBMIT, 'null', good, 'invalid_request'],
    ['a wrong type', SUBMIT, { agent: 'echo', prompt: 7 }, good, 'invalid_request'],
    ['an unknown field', SUBMIT, { ...submission, node: 'n1' }, good, 'invalid_request'],
    ['an agent that is not there', SUBMIT, { ...submission, agent: 'x' }, good, 'agent_not_found'],
    ['a foreign session', SUBMIT, { ...submission, session: runId }, good, 'session_not_found'],
    [
      'a stop of a run that is not there',
      'hf.cmd.stops.request',
      { target: { kind: 'run', id: runId }, reason: 'x' },
      good,
      'run_not_found',
    ],
    [
      'a resolution of a run that is not there',
      'hf.cmd.runs.resolve',
      { runId, as: 'failed', note: 'x' },
      good,
      'run_not_found',
    ],
    [
      'a resolution by somebody who may not',
      'hf.cmd.runs.resolve',
      { runId, as: 'failed', note: 'x' },
      as(VIEWER),
      'forbidden',
    ],
    [
      'a revocation of a token that is not there',
      'hf.cmd.access.revoke-token',
      { tokenHash: 'a'.repeat(64) },
      good,
      'credential_not_found',
    ],
    ['a claim of nothing', 'hf.cmd.runs.claim.main.n1', {}, {}, 'invalid_request'],
    ['a claim by a node that can not be', 'hf.cmd.runs.claim._.n1', {}, {}, 'invalid_request'],
    [
      'a report of a run that is not there',
      'hf.cmd.runs.report.main.n1',
      { ...claimOf(runId), journalSequence: 1, kind: 'running', evidence: 'pid 5' },
      {},
      'run_not_found',
    ],
    ['a join that says nothing', 'hf.cmd.nodes.join.main.n1', {}, {}, 'invalid_request'],
    [
      'a node that leaves without a journal',
      'hf.cmd.nodes.leave.main.n1',
      { reason: 'x' },
      {},
      'invalid_request',
    ],
  ])('%s gets its typed error, and changes nothing', async (_what, subject, body, sent, code) => {
    const end = await events.end();
    expect(await askRaw(subject, body, sent)).toEqual({ code, retryable: false });
    expect(await events.end()).toBe(end);
  });
});

/** Sends bytes as they are. */
const askRaw = async (
  subject: string,
  body: string | Uint8Array | object,
  sent: Record<string, string>,
): Promise<unknown> => {
  const bytes =
    body instanceof Uint8Array
      ? body
      : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
  const answer = await new RequestClient(link).requestBytes(subject, bytes, {
    headers: sent,
    timeoutMs: 10_000,
  });
  if (answer.kind !== 'refused') return answer;
  const { code, retryable } = answer.error;
  return { code, retryable };
};
