export {
  PlanRefused,
  type LaunchPlan,
  type RuntimeAdapter,
  type Validated,
  type WorkOrder,
} from './adapter.js';
export { ConfigCheck } from './config-check.js';
export { attemptsMax, type RuntimeCapabilities } from './capabilities.js';
export type {
  AttemptEnd,
  AttemptEvidence,
  Exit,
  FailureCode,
  InterruptionReason,
  LossReason,
  ProgramEnding,
} from './evidence.js';
export { leftNothing, openEvidence, readEvidence } from './evidence-file.js';
export { ownProgram } from './own-program.js';
export {
  OUTCOME_FILE,
  readOutcome,
  readReceipts,
  RECEIPTS_FILE,
  type Receipt,
  type ReceiptsRead,
} from './receipts.js';
export type { RuntimeReferences } from './references.js';
