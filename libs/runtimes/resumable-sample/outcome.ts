import type { FailureCode, InterruptionReason, LossReason, RuntimeReferences } from '#runtimes';

/** What the driver says about its attempt: the file `outcome.json`. */
export type DriverOutcome = { readonly references: RuntimeReferences } & (
  | { readonly kind: 'completed'; readonly readBack: boolean }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string }
  | { readonly kind: 'interrupted'; readonly reason: InterruptionReason }
  | { readonly kind: 'lost'; readonly reason: LossReason }
);

const FAILURES: Readonly<Record<FailureCode, true>> = {
  AGENT_EXITED: true,
  AGENT_NO_OUTPUT: true,
  AGENT_NOT_STARTABLE: true,
  RUNTIME_TURN_FAILED: true,
  RUNTIME_UNREACHABLE: true,
};
const INTERRUPTIONS: Readonly<Record<InterruptionReason, true>> = {
  'client-died': true,
  'connection-lost': true,
  'runtime-unreachable': true,
  'turn-interrupted': true,
  stopped: true,
  'stop-unconfirmed': true,
};
const LOSSES: Readonly<Record<LossReason, true>> = {
  'exit-not-seen': true,
  'not-in-history': true,
  'recovery-not-in-history': true,
  'runtime-cannot-be-asked': true,
  'malformed-outcome': true,
};

/** @returns undefined when it is none: a driver of another version, a hand of somebody else, a disk that lost a part. */
export const parseOutcome = (text: string): DriverOutcome | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isOutcome(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const isOutcome = (value: unknown): value is DriverOutcome => {
  if (!isObject(value) || !isObject(value['references'])) return false;
  const { kind, references, readBack, code, message, reason } = value;
  const names = [references['thread'], references['turn']];
  if (!names.every((name) => name === undefined || typeof name === 'string')) return false;
  switch (kind) {
    case 'completed':
      return typeof readBack === 'boolean';
    case 'failed':
      return isOneOf(FAILURES, code) && typeof message === 'string';
    case 'interrupted':
      return isOneOf(INTERRUPTIONS, reason);
    case 'lost':
      return isOneOf(LOSSES, reason);
    default:
      return false;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isOneOf = (known: Readonly<Record<string, true>>, value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(known, value);
