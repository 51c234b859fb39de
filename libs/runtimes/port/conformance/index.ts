export {
  describeResumableRuntime,
  describeSingleAttemptRuntime,
  type ConformanceOptions,
  type ResumableCaseName,
  type SingleCaseName,
} from './describe-runtime.js';
export type {
  AttemptUnderTest,
  Levers,
  PromptSeen,
  ResumableUnderTest,
  SingleUnderTest,
} from './under-test.js';
