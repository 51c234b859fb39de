import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { Caller } from '#access/contract';
import type { AgentBinding } from '#agents/contract';
import type { SubmissionAnswer } from '#contracts';
import { SubmissionRequest, accept, validate } from '#contracts/requests';
import { AggregateStore } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import { RuleViolation } from '#kernel';
import { WorkspaceKeys } from '#platform';
import type { SessionPlaces } from '#sessions/contract';
import { RunWriting, SubmitRunCommand, SubmitRunHandler } from './index.js';

const ADA: Caller = { principal: 'user:ada', role: 'agent', workspace: 'main' };
const BOB: Caller = { principal: 'user:bob', role: 'agent', workspace: 'main' };
const ADA_ELSEWHERE: Caller = { ...ADA, workspace: 'other' };

const BINDING: AgentBinding = {
  name: 'echo',
  node: 'n1',
  runtime: 'cli',
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: true,
  outlivesClient: false,
  promptBy: 'argument',
};

interface Request {
  readonly agent: string;
  readonly prompt: string;
  readonly session?: string;
}
const HELLO: Request = { agent: 'echo', prompt: 'Hello' };

/** A world of several processes of `commands` over one stream. */
const world = () => {
  const events = new InMemoryEventStore(() => 1_000);
  const agents = new Map([
    ['echo', BINDING],
    ['other', { ...BINDING, name: 'other' }],
  ]);
  const enqueued: (readonly [string, string])[] = [];
  const places: SessionPlaces = {
    checkRoom: async () => undefined,
    standing: async () => 'absent',
    enqueue: async (_workspace, session, runId) => void enqueued.push([session, runId]),
  };
  let now = 1_000;
  /** Another process: nothing but the stream is shared. */
  const handler = (): SubmitRunHandler =>
    new SubmitRunHandler(
      new RunWriting(
        new AggregateStore(events, { random: () => 0 }),
        { epoch: async () => 1 },
        { now: () => (now += 1) },
      ),
      { find: async (_workspace, name) => agents.get(name) ?? null },
      places,
      new WorkspaceKeys(new Uint8Array(32).fill(3)),
    );
  const submit = async (
    caller: Caller,
    key: string,
    request: Request,
    by = handler(),
  ): Promise<SubmissionAnswer | string> => {
    try {
      return await by.execute(
        new SubmitRunCommand(
          caller,
          key,
          accept(validate(SubmissionRequest, request)),
          request,
          {},
        ),
      );
    } catch (error) {
      if (error instanceof RuleViolation) return error.code;
      throw error;
    }
  };
  return { events, agents, enqueued, handler, submit };
};

const idIn = (answer: SubmissionAnswer | string): string => {
  if (typeof answer === 'string') throw new Error(answer);
  return answer.value.runId;
};

describe('a submission', () => {
  it('is one commit, and takes nothing else to be accepted', async () => {
    const { events, submit } = world();
    const answer = await submit(ADA, 'k1', HELLO);
    const runId = idIn(answer);
    expect(answer).toEqual({
      value: { runId, sessionId: runId, status: 'queued' },
      replayed: false,
    });
    expect(await events.end()).toBe(1);
    const [commit] = await events.read(
      { aggregate: 'run', workspace: 'main', id: runId },
      { consistency: 'leader' },
    );
    expect(commit?.events).toEqual([
      {
        type: 'RunSubmitted',
        data: {
          runId,
          sessionId: runId,
          opensSession: true,
          agent: 'echo',
          node: 'n1',
          runClass: {
            runtime: 'cli',
            attempts: 'single',
            deduplicatesByKey: false,
            readBackByKey: false,
            interruptible: true,
            outlivesClient: false,
          },
          prompt: 'Hello',
          principal: 'user:ada',
          fingerprint: (commit?.events[0]?.data as { fingerprint: string }).fingerprint,
          epoch: 1,
          at: 1_001,
        },
      },
    ]);
  });

  it('to an agent that nobody offers is refused, and nothing is written', async () => {
    const { events, submit } = world();
    expect(await submit(ADA, 'k1', { ...HELLO, agent: 'nobody' })).toBe('agent_not_found');
    expect(await events.end()).toBe(0);
  });

  it('whose prompt does not fit into an argument is refused, and nothing is written', async () => {
    const { events, agents, submit } = world();
    const prompt = 'x'.repeat(128 * 1024);
    expect(await submit(ADA, 'k1', { ...HELLO, prompt })).toBe('prompt_too_large');
    expect(await events.end()).toBe(0);
    agents.set('echo', { ...BINDING, promptBy: 'stdin' });
    expect(idIn(await submit(ADA, 'k1', { ...HELLO, prompt }))).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the same key', () => {
  it('50 at once, over two processes, is one run with one first answer', async () => {
    const { events, handler, submit } = world();
    const [one, other] = [handler(), handler()];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        submit(ADA, 'k1', HELLO, index % 2 === 0 ? one : other),
      ),
    );
    expect(new Set(answers.map(idIn)).size).toBe(1);
    const replayed = answers.map((answer) => typeof answer !== 'string' && answer.replayed);
    expect(replayed.filter((flag) => !flag)).toHaveLength(1);
    expect(await events.end()).toBe(1);
  });

  it('after a restart, and after the duplicate window, is answered as the first time', async () => {
    const { events, submit } = world();
    const first = await submit(ADA, 'k1', HELLO);
    events.passDuplicateWindow();
    expect(await submit(ADA, 'k1', HELLO)).toEqual({
      value: { runId: idIn(first), sessionId: idIn(first), status: 'queued' },
      replayed: true,
    });
    expect(await events.end()).toBe(1);
  });

  it('with its fields in another order is the same request', async () => {
    const { submit } = world();
    const first = await submit(ADA, 'k1', HELLO);
    const again = await submit(ADA, 'k1', { prompt: 'Hello', agent: 'echo' });
    expect(idIn(again)).toBe(idIn(first));
  });

  it.each<[string, Request]>([
    ['another prompt', { ...HELLO, prompt: 'Goodbye' }],
    ['another agent', { ...HELLO, agent: 'other' }],
    ['an agent that is not there', { ...HELLO, agent: 'nobody' }],
    ['a session', { ...HELLO, session: '0190b5a4-7f2c-5d3e-9a1b-0c2d3e4f5a6b' }],
  ])('with %s is a conflict, and changes nothing', async (_what, changed) => {
    const { events, submit } = world();
    await submit(ADA, 'k1', HELLO);
    expect(await submit(ADA, 'k1', changed)).toBe('idempotency_conflict');
    expect(await events.end()).toBe(1);
  });

  it('is answered as the first time even when its agent is gone by now', async () => {
    const { agents, submit } = world();
    const first = await submit(ADA, 'k1', HELLO);
    agents.delete('echo');
    expect(await submit(ADA, 'k1', HELLO)).toEqual({
      value: { runId: idIn(first), sessionId: idIn(first), status: 'queued' },
      replayed: true,
    });
    expect(await submit(ADA, 'k2', HELLO)).toBe('agent_not_found');
  });

  it.each([
    ['of another caller', BOB],
    ['of the same caller in another workspace', ADA_ELSEWHERE],
  ])('%s is another run', async (_what, caller) => {
    const { submit } = world();
    const first = await submit(ADA, 'k1', HELLO);
    const other = await submit(caller, 'k1', HELLO);
    expect(idIn(other)).not.toBe(idIn(first));
    expect(typeof other !== 'string' && other.replayed).toBe(false);
  });

  it('of the same caller with a rotated token is the same run: the key is the principal’s', async () => {
    const { submit } = world();
    const first = await submit(ADA, 'k1', HELLO);
    // Whoever authenticates with another token of his is the same principal, perhaps with another role.
    expect(idIn(await submit({ ...ADA, role: 'operator' }, 'k1', HELLO))).toBe(idIn(first));
  });
});

describe('a named session', () => {
  it('must exist, and is bound to its agent', async () => {
    const { submit } = world();
    const session = '0190b5a4-7f2c-5d3e-9a1b-0c2d3e4f5a6b';
    expect(await submit(ADA, 'k1', { ...HELLO, session })).toBe('session_not_found');
    const opener = idIn(await submit(ADA, 'k2', HELLO));
    expect(await submit(ADA, 'k3', { ...HELLO, agent: 'other', session: opener })).toBe(
      'session_agent_mismatch',
    );
    const second = idIn(await submit(ADA, 'k4', { ...HELLO, session: opener }));
    // A run that queued in a session opens none of its own.
    expect(await submit(ADA, 'k5', { ...HELLO, session: second })).toBe('session_not_found');
  });

  it('is not seen from another workspace', async () => {
    const { submit } = world();
    const opener = idIn(await submit(ADA, 'k1', HELLO));
    expect(await submit(ADA_ELSEWHERE, 'k2', { ...HELLO, session: opener })).toBe(
      'session_not_found',
    );
  });

  it('gives the run its place after it was accepted, and again for a repeat', async () => {
    const { enqueued, submit } = world();
    const opener = idIn(await submit(ADA, 'k1', HELLO));
    expect(enqueued).toEqual([]);
    const runId = idIn(await submit(ADA, 'k2', { ...HELLO, session: opener }));
    expect(enqueued).toEqual([[opener, runId]]);
    await submit(ADA, 'k2', { ...HELLO, session: opener });
    expect(enqueued).toEqual([
      [opener, runId],
      [opener, runId],
    ]);
  });
});
