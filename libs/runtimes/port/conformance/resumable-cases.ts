import { expect } from '@jest/globals';
import { waitUntil } from '#testing';
import type { AttemptEnd } from '#runtimes';
import type { AttemptUnderTest, ResumableUnderTest } from './under-test.js';

export type ResumableCase = (under: ResumableUnderTest) => Promise<void>;

/** Names and exits differ from runtime to runtime; what happened must not. */
const factOf = (end: AttemptEnd): object => {
  switch (end.kind) {
    case 'completed':
      return { kind: end.kind, readBack: end.readBack };
    case 'failed':
      return { kind: end.kind, code: end.code };
    case 'interrupted':
    case 'lost':
      return { kind: end.kind, reason: end.reason };
    case 'not-started':
      return end;
  }
};
const completed = (readBack: boolean): object => ({ kind: 'completed', readBack });
const lost = (reason: string): object => ({ kind: 'lost', reason });
const interrupted = (reason: string): object => ({ kind: 'interrupted', reason });

/** The end of an attempt, and what reached the runtime by then. */
const expectEnd = async (
  under: ResumableUnderTest,
  attempt: AttemptUnderTest,
  end: object,
  prompts: readonly ('initial' | 'recovery')[],
): Promise<void> => {
  const found = factOf(await attempt.end);
  const seen = under.seen();
  // Prompts first: a wrong end is a nuisance, a prompt too many is what must never happen.
  expect(seen.map(({ kind }) => kind)).toEqual(prompts);
  expect(seen.filter(({ steered }) => steered)).toEqual([]);
  expect(found).toEqual(end);
};

const beginAndSee = async (
  under: ResumableUnderTest,
  prompt: string,
): Promise<AttemptUnderTest> => {
  const attempt = await under.begin(prompt);
  await waitUntil('the prompt at the runtime', () => under.seen().length > 0);
  return attempt;
};

const onePromptOneAnswer: ResumableCase = async (under) => {
  const attempt = await under.begin(under.prompts.quick);
  await expectEnd(under, attempt, completed(false), ['initial']);
  expect(await attempt.output()).toBe(under.prompts.answer);
};

const aFailureIsAFailure: ResumableCase = async (under) => {
  const attempt = await under.begin(under.prompts.fails);
  await expectEnd(under, attempt, { kind: 'failed', code: 'RUNTIME_TURN_FAILED' }, ['initial']);
};

const nothingSentToNobody: ResumableCase = async (under) => {
  await under.killRuntime();
  const attempt = await under.begin(under.prompts.quick);
  await expectEnd(under, attempt, { kind: 'failed', code: 'RUNTIME_UNREACHABLE' }, []);
};

/** Killed between the request and its acknowledgement; the runtime goes on. */
const killedBeforeTheAcknowledgement: ResumableCase = async (under) => {
  await under.pull({ withholds: 'acknowledgement' });
  const first = await beginAndSee(under, under.prompts.quick);
  await first.until('sent');
  await first.kill();
  await expectEnd(under, first, interrupted('client-died'), ['initial']);
  await waitUntil('the answer at the runtime', () => under.hasFinished());
  await under.pull({ withholds: 'nothing' });
  const second = await under.resume();
  await expectEnd(under, second, completed(true), ['initial']);
  expect(await second.output()).toBe(under.prompts.answer);
};

const killedAfterTheAcknowledgement: ResumableCase = async (under) => {
  await under.pull({ withholds: 'observation' });
  const first = await under.begin(under.prompts.quick);
  await first.until('acked');
  await first.kill();
  await expectEnd(under, first, interrupted('client-died'), ['initial']);
  await waitUntil('the answer at the runtime', () => under.hasFinished());
  await under.pull({ withholds: 'nothing' });
  await expectEnd(under, await under.resume(), completed(true), ['initial']);
};

/** The runtime goes on without its client: the next one follows the same turn to its end. */
const killedAtWorkTheRuntimeFinishes: ResumableCase = async (under) => {
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await first.kill();
  await expectEnd(under, first, interrupted('client-died'), ['initial']);
  const second = await under.resume();
  await second.until('observed'); // It has found the turn.
  await under.finishSlowWork();
  await expectEnd(under, second, completed(true), ['initial']);
  expect(await second.output()).toBe(under.prompts.answer);
};

/** The runtime interrupts the turn when its client dies: one prompt asks to go on, in the same thread. */
const killedAtWorkTheRuntimeAborts: ResumableCase = async (under) => {
  await under.pull({ abortsWhenClientDies: true });
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await first.kill();
  await waitUntil('the interruption', () => under.hasFinished());
  await under.finishSlowWork();
  const second = await under.resume();
  await expectEnd(under, second, completed(false), ['initial', 'recovery']);
  expect(await second.output()).toBe(under.prompts.answer);
};

/** The answer is stored at the runtime, and nobody has told the driver. */
const killedWithTheAnswerAtTheRuntime: ResumableCase = async (under) => {
  await under.pull({ withholds: 'end' });
  const first = await under.begin(under.prompts.quick);
  await first.until('observed');
  await waitUntil('the answer at the runtime', () => under.hasFinished());
  await first.kill();
  await under.pull({ withholds: 'nothing' });
  const second = await under.resume();
  await expectEnd(under, second, completed(true), ['initial']);
  expect(await second.output()).toBe(under.prompts.answer);
};

const runtimeKilledAtWork: ResumableCase = async (under) => {
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await under.killRuntime();
  await expectEnd(under, first, interrupted('connection-lost'), ['initial']);
  await under.finishSlowWork();
  await under.startRuntime();
  await expectEnd(under, await under.resume(), completed(false), ['initial', 'recovery']);
};

/** What the history does not show is lost, never "never received": its tools may have done anything by then. */
const acknowledgedAndLost: ResumableCase = async (under) => {
  await under.pull({ losesAcknowledgedTurns: true });
  const first = await under.begin(under.prompts.quick);
  await expectEnd(under, first, interrupted('connection-lost'), ['initial']);
  await under.pull({ losesAcknowledgedTurns: false });
  await expectEnd(under, await under.resume(), lost('not-in-history'), ['initial']);
};

/** Killed before it knew the turn's name, and the runtime does not know ours. */
const canNotBeAsked: ResumableCase = async (under) => {
  await under.pull({ withholds: 'acknowledgement', readsBackByKey: false });
  const first = await beginAndSee(under, under.prompts.quick);
  await first.until('sent');
  await first.kill();
  await waitUntil('the answer at the runtime', () => under.hasFinished());
  await under.pull({ withholds: 'nothing' });
  await expectEnd(under, await under.resume(), lost('runtime-cannot-be-asked'), ['initial']);
};

/** Without our key, the turn's own name is enough. */
const foundByItsOwnName: ResumableCase = async (under) => {
  await under.pull({ readsBackByKey: false });
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await first.kill();
  await under.finishSlowWork();
  await waitUntil('the answer at the runtime', () => under.hasFinished());
  await expectEnd(under, await under.resume(), completed(true), ['initial']);
};

/** A second process shows the living turn as interrupted. Only the fence tells the truth: it is waited for. */
const atWorkInAnotherProcess: ResumableCase = async (under) => {
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await first.kill();
  await under.startSecondRuntime();
  const second = await under.resume();
  let ended = false;
  void second.end.then(() => (ended = true));
  await waitUntil('two looks at the fence', () => ended || under.fenceRefusals() >= 2);
  expect(ended).toBe(false);
  await under.finishSlowWork();
  await expectEnd(under, second, completed(true), ['initial']);
  expect(await second.output()).toBe(under.prompts.answer);
};

const aRecoveryIsReadBackToo: ResumableCase = async (under) => {
  await under.pull({ abortsWhenClientDies: true });
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await first.kill();
  await waitUntil('the interruption', () => under.hasFinished());
  await under.finishSlowWork();
  await under.pull({ abortsWhenClientDies: false, withholds: 'end' });
  const second = await under.resume();
  await waitUntil('the recovery at the runtime', () => under.seen().length === 2);
  await waitUntil('its answer', () => under.hasFinished());
  await second.kill();
  await under.pull({ withholds: 'nothing' });
  const third = await under.resume();
  await expectEnd(under, third, completed(true), ['initial', 'recovery']);
  expect(await third.output()).toBe(under.prompts.answer);
};

/** A recovery that was sent and does not show is lost, like any other prompt. */
const aLostRecoveryIsNotRepeated: ResumableCase = async (under) => {
  await under.pull({ abortsWhenClientDies: true });
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await first.kill();
  await waitUntil('the interruption', () => under.hasFinished());
  await under.finishSlowWork();
  await under.pull({ losesAcknowledgedTurns: true });
  const second = await under.resume();
  await expectEnd(under, second, interrupted('connection-lost'), ['initial', 'recovery']);
  await under.pull({ losesAcknowledgedTurns: false });
  const third = await under.resume();
  await expectEnd(under, third, lost('recovery-not-in-history'), ['initial', 'recovery']);
};

const aStopInterruptsTheTurn: ResumableCase = async (under) => {
  const attempt = await under.begin(under.prompts.slow);
  await attempt.until('observed');
  await attempt.stop();
  await expectEnd(under, attempt, interrupted('stopped'), ['initial']);
  expect(under.interruptions()).toBe(1);
  expect(await under.hasFinished()).toBe(true);
};

const fiveDeathsOnePrompt: ResumableCase = async (under) => {
  const first = await under.begin(under.prompts.slow);
  await first.until('observed');
  await first.kill();
  for (let attempt = 2; attempt <= 4; attempt++) {
    const next = await under.resume();
    await next.until('observed');
    await next.kill();
    await expectEnd(under, next, interrupted('client-died'), ['initial']);
  }
  await under.finishSlowWork();
  await expectEnd(under, await under.resume(), completed(true), ['initial']);
};

/** What a resumable runtime promises: one case each. */
export const RESUMABLE_CASES = {
  'one prompt, one answer': onePromptOneAnswer,
  'a failure is a failure': aFailureIsAFailure,
  'nothing is sent to nobody': nothingSentToNobody,
  'killed before the acknowledgement': killedBeforeTheAcknowledgement,
  'killed after the acknowledgement': killedAfterTheAcknowledgement,
  'killed at work, the runtime finishes': killedAtWorkTheRuntimeFinishes,
  'killed at work, the runtime aborts': killedAtWorkTheRuntimeAborts,
  'killed with the answer at the runtime': killedWithTheAnswerAtTheRuntime,
  'runtime killed at work': runtimeKilledAtWork,
  'acknowledged and lost': acknowledgedAndLost,
  'can not be asked': canNotBeAsked,
  'found by its own name': foundByItsOwnName,
  'at work in another process': atWorkInAnotherProcess,
  'a recovery is read back too': aRecoveryIsReadBackToo,
  'a lost recovery is not repeated': aLostRecoveryIsNotRepeated,
  'a stop interrupts the turn': aStopInterruptsTheTurn,
  'five deaths, one prompt': fiveDeathsOnePrompt,
} as const satisfies Readonly<Record<string, ResumableCase>>;
