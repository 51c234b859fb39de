import { expect } from '@jest/globals';
import { PlanRefused } from '#runtimes';
import { waitUntil } from '#testing';
import type { SingleUnderTest } from './under-test.js';

export type SingleCase = (under: SingleUnderTest) => Promise<void>;

const onePromptOneAnswer: SingleCase = async (under) => {
  const attempt = await under.begin(under.prompts.quick);
  expect((await attempt.end).kind).toBe('completed');
  expect(await attempt.output()).toBe(under.prompts.answer);
  expect(under.starts()).toBe(1);
};

const declaresOneAttempt: SingleCase = async ({ adapter, config }) => {
  expect(adapter.capabilities(config).attempts).toBe('single');
  return Promise.resolve();
};

/** Whatever asks for it: what can't be asked what became of a prompt is not started again. */
const refusesAResumption: SingleCase = async (under) => {
  const first = await under.begin(under.prompts.slow);
  await waitUntil('the start', () => under.starts() === 1);
  await first.kill();
  const refusal = await under.resume().then(
    () => 'resumed',
    (error: unknown) => (error instanceof PlanRefused ? error.code : error),
  );
  expect(refusal).toBe('NOT_RESUMABLE');
  expect(under.starts()).toBe(1);
};

const killedIsLost: SingleCase = async (under) => {
  const attempt = await under.begin(under.prompts.slow);
  await waitUntil('the start', () => under.starts() === 1);
  await attempt.kill();
  expect((await attempt.end).kind).toBe('lost');
  expect(under.starts()).toBe(1);
};

const silenceIsAFailure: SingleCase = async (under) => {
  const attempt = await under.begin(under.prompts.silent);
  const end = await attempt.end;
  expect(end.kind === 'failed' ? end.code : end).toBe('AGENT_NO_OUTPUT');
  expect(under.starts()).toBe(1);
};

const aFailureIsAFailure: SingleCase = async (under) => {
  const attempt = await under.begin(under.prompts.fails);
  const end = await attempt.end;
  expect(end.kind === 'failed' ? end.code : end).toBe('AGENT_EXITED');
};

/** What a single-attempt runtime promises: one case each. */
export const SINGLE_CASES = {
  'one prompt, one answer': onePromptOneAnswer,
  'declares one attempt': declaresOneAttempt,
  'refuses a resumption': refusesAResumption,
  'killed is lost': killedIsLost,
  'silence is a failure': silenceIsAFailure,
  'a failure is a failure': aFailureIsAFailure,
} as const satisfies Readonly<Record<string, SingleCase>>;
