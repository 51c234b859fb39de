import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RequestClient } from '#nats';
import { systemClock } from '#platform';
import { STOP_AGGREGATE } from '#stops/command';
import { waitUntil } from '#testing';
import { SagasWorld, TestNode } from './world.fixture.js';

let world: SagasWorld;
const node = new TestNode('n1', 'journal-1');

beforeAll(async () => {
  world = await SagasWorld.start();
  await world.join(node);
  await node.start(world.link);
}, 120_000);
afterAll(async () => {
  await node?.stop();
  await world?.stop();
});

const advance = async (runId: string, doubt: string | null): Promise<unknown> =>
  new RequestClient(world.link).request(
    'hf.cmd.runs.advance',
    { workspace: 'main', id: runId, doubt },
    { timeoutMs: 5_000 },
  );

const frameOf = async (runId: string, generation = 1) =>
  waitUntil(`frame ${String(generation)} of ${runId}`, () =>
    node.framesOf(runId).find((frame) => frame.generation === generation),
  );

describe('a run', () => {
  it('is dispatched to its node in one frame, and left alone while it runs', async () => {
    const runId = await world.submit('n1');
    const frame = await frameOf(runId);
    expect(frame).toEqual({
      workspace: 'main',
      node: 'n1',
      journalId: 'journal-1',
      runId,
      sessionId: runId,
      agent: 'echo',
      epoch: 1,
      generation: 1,
      kind: 'initial',
      prompt: 'Hello',
      thread: null,
      turn: null,
      key: runId,
    });
    await world.claim(node, frame);
    await world.complete(node, frame);
    await world.untilStatus(runId, 'completed');
    expect(await world.eventsOf(runId)).toEqual([
      'RunSubmitted',
      'RunDispatched',
      'RunClaimed',
      'RunCompleted',
    ]);
    expect(node.framesOf(runId)).toHaveLength(1);
  });

  it('that nobody claims gets another window while its node says that it waits, else it is taken back', async () => {
    const runId = await world.submit('n1');
    await frameOf(runId);
    let waiting = true;
    node.answer = ({ runId: asked }) =>
      asked === runId
        ? { answer: waiting ? 'waiting' : 'closed', journalId: 'journal-1', incarnation: 'i' }
        : undefined;
    await waitUntil('another window', async () =>
      (await world.eventsOf(runId)).includes('RunStartWindowExtended'),
    );
    waiting = false;
    const second = await frameOf(runId, 2);
    expect(second.kind).toBe('initial'); // The first one was certainly unsent.
    const events = await world.eventsOf(runId);
    expect(events.slice(events.indexOf('RunDispatchRevoked'))).toEqual([
      'RunDispatchRevoked',
      'RunDispatched',
    ]);
    await world.claim(node, second);
    await world.complete(node, second);
  });

  it('whose node answers is left to its reports; one that nobody answers for is unknown, and never sent again', async () => {
    const runId = await world.submit('n1');
    const frame = await frameOf(runId);
    await world.claim(node, frame);
    node.answer = () => ({ answer: 'running', journalId: 'journal-1', incarnation: 'i' });
    await advance(runId, 'a finding of the reconciler');
    expect((await world.stateOf(runId)).status).toBe('running');
    node.answer = () => ({ answer: 'other-journal', journalId: 'journal-2' });
    await advance(runId, 'a finding of the reconciler');
    const state = await world.untilStatus(runId, 'unknown');
    expect(state.unknown).toEqual({ code: 'RUN_OUTCOME_UNKNOWN', fenced: false });
    expect(node.framesOf(runId)).toHaveLength(1);
    await world.complete(node, frame); // Its journal is back: proof settles it.
    await world.untilStatus(runId, 'completed');
  });
});

describe('a session', () => {
  it('runs one after the other, also when nobody made the second commit of a submission', async () => {
    const first = await world.submit('n1');
    const second = await world.submit('n1', first);
    await world.enqueue(first, second);
    const third = await world.submit('n1', first); // Its handler died before it gave it a place.
    const frame = await frameOf(first);
    await waitUntil(
      'a place for the third',
      async () => (await world.places.standing('main', first, third)) === 'waiting',
    );
    expect(node.framesOf(second)).toHaveLength(0);
    await world.claim(node, frame);
    await world.complete(node, frame);
    const next = await frameOf(second);
    expect(node.framesOf(third)).toHaveLength(0);
    await world.claim(node, next);
    await world.complete(node, next);
    await frameOf(third);
  });

  it('passes over a run that was stopped while it waited', async () => {
    const first = await world.submit('n1');
    const stopped = await world.submit('n1', first);
    await world.enqueue(first, stopped);
    const third = await world.submit('n1', first);
    await world.enqueue(first, third);
    await world.run(stopped, {
      type: 'RequestRunStop',
      runId: stopped,
      stopId: randomUUID(),
      reason: 'changed my mind',
      principal: 'user:ada',
      now: systemClock.now(),
      epoch: 1,
    });
    await world.untilStatus(stopped, 'stopped');
    const frame = await frameOf(first);
    await world.claim(node, frame);
    await world.complete(node, frame);
    await frameOf(third);
    expect(node.framesOf(stopped)).toHaveLength(0);
  });
});

describe('a stop', () => {
  it('reaches its run although its handler died between its two appends', async () => {
    const runId = await world.submit('n1');
    const frame = await frameOf(runId);
    await world.claim(node, frame);
    node.asked.length = 0;
    node.answer = () => ({ answer: 'stopping', journalId: 'journal-1', incarnation: 'i' });
    const stopId = randomUUID();
    await world.aggregates.execute(
      STOP_AGGREGATE,
      { workspace: 'main', id: stopId },
      {
        type: 'RequestStop',
        stopId,
        target: { kind: 'run', id: runId },
        reason: 'enough',
        principal: 'user:ada',
        fingerprint: 'v1:x',
        now: systemClock.now(),
      },
      { commandId: randomUUID(), metadata: { command: 'RequestStop', actor: 'test' } },
    );
    await world.untilStatus(runId, 'stopping');
    const told = await waitUntil('its node to be told', () =>
      node.asked.find(({ question }) => question === 'stop'),
    );
    expect(told).toEqual({
      question: 'stop',
      runId,
      generation: 1,
      journalId: 'journal-1',
      epoch: 1,
      holder: 'incarnation-1',
    });
  });
});
