import type { FailureCode, InterruptionReason, LossReason, RuntimeReferences } from '#runtimes';

/** What the driver says about its attempt: the file `outcome.json`. */
export type DriverOutcome = { readonly references: RuntimeReferences } & (
  | { readonly kind: 'completed'; readonly readBack: boolean }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string }
  | { readonly kind: 'interrupted'; readonly reason: InterruptionReason }
  | { readonly kind: 'lost'; readonly reason: LossReason }
);

const KINDS: readonly DriverOutcome['kind'][] = ['completed', 'failed', 'interrupted', 'lost'];

/** @returns undefined when it is none: a driver of another version, or a disk that lost a part. */
export const parseOutcome = (text: string): DriverOutcome | undefined => {
  try {
    const value = JSON.parse(text) as Partial<DriverOutcome> | null;
    const known = value?.references !== undefined && KINDS.some((kind) => kind === value.kind);
    return known ? (value as DriverOutcome) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
